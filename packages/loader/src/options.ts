import type { Environment, EnvironmentOptions } from './environment.js';
import type { LoaderErrorCode } from './error.js';
import type { ServiceAdapter, Wishes } from './sdk.js';

/** The part of a loader's options that may be left out. */
export interface LoaderSettings extends EnvironmentOptions, Wishes {
  /** Name of the SDK's global. Default `Service`. */
  globalName?: string | undefined;
  /** For an operator's SDK that differs from the contract's. */
  adapter?: ServiceAdapter | undefined;
  /** CSP nonce for the script. Default: that of the page's own scripts. */
  nonce?: string | undefined;
  /** Of the script: with it the page's error handlers are told what went wrong in it, if the operator's host allows it. */
  crossOrigin?: 'anonymous' | 'use-credentials' | undefined;
  /** Milliseconds for the whole load, all attempts together. Default 20,000. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. Default 2; 0 means 0. */
  retries?: number | undefined;
  /** Told of every attempt and how it ended; the only telemetry. */
  onEvent?: ((event: LoaderEvent) => void) | undefined;
}

/** What says which environment a loader is for, in full. */
type Said =
  | { environment: Environment; loaderUrl: string }
  | { environment: Environment; loaderUrls: Partial<Record<Environment, string>> }
  | { loaderUrl: string; loaderUrls: Partial<Record<Environment, string>> };

/**
 * What a loader needs to know: the environment with `loaderUrl` or `loaderUrls`, or a `loaderUrl` that is one of
 * `loaderUrls`. Going live changes values here and nothing else. No API key fits in.
 *
 * @example
 * const options: LoaderOptions = {
 *   environment: 'staging',
 *   loaderUrls: { staging: env.STAGING_LOADER_URL, production: env.PRODUCTION_LOADER_URL },
 *   onEvent: ({ type, code, ms }) => metrics.record(`loader.${type}`, ms, { code }),
 * };
 */
export type LoaderOptions = LoaderSettings & Said;

/**
 * One step of a load. `ms`: milliseconds since the load began.
 *
 * @example
 * const event: LoaderEvent = { type: 'failed', attempt: 3, ms: 1_240, code: 'network_error' };
 */
export interface LoaderEvent {
  type: 'attempt' | 'ready' | 'failed';
  /** 1 for the first; 0 when the SDK was on the page already. */
  attempt: number;
  ms: number;
  /** Of a `failed` load: the code it rejects with. */
  code?: LoaderErrorCode;
}
