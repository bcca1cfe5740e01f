export interface DemoStack {
  /** The React app. */
  reactUrl: string;
  /** The page with script tags alone. */
  plainUrl: string;
  /** The control API of the staging service. */
  controlUrl: string;
  /** The inspector of the staging service, with its token. */
  inspectorUrl: string;
  operator: Record<'staging' | 'production', { baseUrl: string; loaderUrl: string }>;
  /** The environment variables that differ between the environments. */
  settings(environment: 'staging' | 'production'): Record<string, string>;
  /** Starts a second merchant backend with production's three settings. Resolves with its address. */
  goLive(): Promise<string>;
  /** Resolves with a description when the first program ends, also because of `stop`. */
  ended: Promise<string>;
  /** All output of the programs. */
  output(): string;
  stop(): Promise<void>;
}
/** Uses free ports unless five are given. */
export function startStack(options?: { ports?: number[] }): Promise<DemoStack>;
