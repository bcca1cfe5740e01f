import type { Environment } from './environment.js';
import type { LoaderErrorCode } from './error.js';
import type { EmbeddedService } from './flow.js';
import type { ServiceAdapter } from './sdk.js';

/** What a loader needs to know. Going live changes values here and nothing else. No API key fits in. */
export interface LoaderOptions {
  /** The environment; may be left out when `loaderUrl` is one of `loaderUrls`. */
  environment?: Environment;
  /** `{sdk_loader_url}`: absolute, ends in `/app/embedded.loader.js`, `https:` or `http:` on loopback. */
  loaderUrl?: string;
  /** Both environments' loader URLs, known in advance: the other one's is then called by its name in a refusal. */
  loaderUrls?: Partial<Record<Environment, string>>;
  /** Where an environment's sessions live, when that is not under its loader's base. */
  sessionPrefixes?: Partial<Record<Environment, readonly string[]>>;
  /** Name of the SDK's global. Default `Service`. */
  globalName?: string;
  /** For an operator's SDK that differs from the contract's. */
  adapter?: ServiceAdapter;
  /** CSP nonce for the script. Default: that of the page's own scripts. */
  nonce?: string;
  /** Milliseconds for the whole load, all attempts together. Default 20,000. */
  timeoutMs?: number;
  /** Attempts after the first. Default 2; 0 means 0. */
  retries?: number;
  /** Told of every attempt and how it ended; the only telemetry. */
  onEvent?: (event: LoaderEvent) => void;
}

/** One step of a load. `ms`: milliseconds since the load began. */
export interface LoaderEvent {
  type: 'attempt' | 'ready' | 'failed';
  /** 1 for the first; 0 when the SDK was on the page already. */
  attempt: number;
  ms: number;
  /** Of a `failed` load: the code it rejects with. */
  code?: LoaderErrorCode;
}

/** Loads the SDK of one environment, once per page. */
export interface Loader {
  readonly environment: Environment;
  readonly state: 'idle' | 'loading' | 'ready' | 'failed';
  /**
   * Loads the SDK. Concurrent calls share one chain of attempts; a failure is forgotten, so a later call tries anew.
   * An aborted `signal` detaches its own caller only. Rejects with a {@link LoaderError}, `not_in_browser` on a server.
   *
   * @example
   * const service = await loader.load();
   */
  load(options?: { signal?: AbortSignal }): Promise<EmbeddedService>;
  /** Fetches the script ahead of time and executes nothing. Does nothing on a server. */
  preload(): void;
}
