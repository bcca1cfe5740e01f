export type EngineName =
  | 'chromium'
  | 'shell'
  | 'firefox'
  | 'webkit'
  | 'xvfb'
  | 'postgresql'
  | 'pgbouncer'
  | 'haproxy'
  | 'etcd'
  | 'patroni';
export declare const ENGINES: Readonly<
  Record<EngineName, { binaries: readonly string[]; packages: readonly string[] }>
>;
export declare const CHROMIUM_ARGUMENTS: readonly string[];
export declare function findEngine(name: EngineName): string | null;
export declare function missingEngines(isSpare?: boolean): EngineName[];
