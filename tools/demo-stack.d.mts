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
  /** The environment variables that tell one environment from the other. */
  settings(environment: 'staging' | 'production'): Record<string, string>;
  /** Starts a second merchant backend with production's three settings; resolves with its address. */
  goLive(): Promise<string>;
  /** Resolves with what happened when the first of the programs ends, be it by `stop`. */
  ended: Promise<string>;
  /** Everything that the programs wrote. */
  output(): string;
  stop(): Promise<void>;
}
/** On free ports unless five are given. */
export function startStack(options?: { ports?: number[] }): Promise<DemoStack>;
