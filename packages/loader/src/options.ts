import type { Environment, EnvironmentOptions } from './environment.js';
import type { LoaderErrorCode } from './error.js';
import type { PresentationOptions, ServiceAdapter } from './sdk.js';

/** The optional part of a loader's options. */
export interface LoaderSettings extends EnvironmentOptions, PresentationOptions {
  /** Name of the SDK's global. Default `Service`. */
  globalName?: string | undefined;
  /** For an operator's SDK that deviates from the contract. */
  adapter?: ServiceAdapter | undefined;
  /** CSP nonce of the script. Default: the nonce of the page's own scripts. */
  nonce?: string | undefined;
  /**
   * `crossorigin` attribute of the script tag. Lets the page's error handlers see the SDK's errors, if the operator's
   * host allows it.
   */
  crossOrigin?: 'anonymous' | 'use-credentials' | undefined;
  /** Milliseconds for the whole load, including all attempts. Default 20,000. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. Default 2; 0 means none. */
  retries?: number | undefined;
  /** Called for each attempt and for its outcome. The only telemetry. */
  onEvent?: ((event: LoaderEvent) => void) | undefined;
}

/** How to choose a loader's environment. */
type EnvironmentChoice =
  | { environment: Environment; loaderUrl: string }
  | { environment: Environment; loaderUrls: Partial<Record<Environment, string>> }
  | { loaderUrl: string; loaderUrls: Partial<Record<Environment, string>> };

/**
 * Options of a loader: the environment with `loaderUrl` or `loaderUrls`, or a `loaderUrl` that is one of `loaderUrls`.
 * Going live changes only values here. There is no option for an API key.
 *
 * @example
 * const options: LoaderOptions = {
 *   environment: 'staging',
 *   loaderUrls: { staging: env.STAGING_LOADER_URL, production: env.PRODUCTION_LOADER_URL },
 *   onEvent: ({ type, code, ms }) => metrics.record(`loader.${type}`, ms, { code }),
 * };
 */
export type LoaderOptions = LoaderSettings & EnvironmentChoice;

/**
 * One step of a load. `ms`: milliseconds since the load began.
 *
 * @example
 * const event: LoaderEvent = { type: 'failed', attempt: 3, ms: 1_240, code: 'network_error' };
 */
export interface LoaderEvent {
  type: 'attempt' | 'ready' | 'failed';
  /** 1 for the first; 0 if the SDK was already on the page. */
  attempt: number;
  ms: number;
  /** The error code of a `failed` load. */
  code?: LoaderErrorCode | undefined;
}
