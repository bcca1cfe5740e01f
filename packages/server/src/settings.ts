/** Settings of a client's calls, resolved from its options. */
import { type Environment, refuse, resolveEnvironment } from './environment.js';
import { ServiceError } from './error.js';
import { untilAborted } from './deadline.js';
import { type ResolvedLimits, resolveLimits } from './limits.js';
import { type CallContext, type OutgoingCall, type RequestConfig, send, type Sent } from './request.js';
import type { ServiceClientOptions } from './surface.js';
import { transportTo } from './transport.js';

export interface Settings {
  readonly environment: Environment;
  readonly requests: RequestConfig;
  readonly limits: ResolvedLimits;
}

function resolve(options: ServiceClientOptions): Settings {
  const { apiKey, fetch, onRequest, onResponse } = options;
  const { environment, baseUrl } = resolveEnvironment(options, fetch !== undefined);
  const requests: RequestConfig = {
    baseUrl,
    apiKey: apiKey || refuse('apiKey is not set.'),
    transport: transportTo(baseUrl, fetch),
    onRequest,
    onResponse,
  };

  return { environment, requests, limits: resolveLimits(options) };
}

/** True if a required option is missing, for example because a build has no secrets. */
const isUnset = ({ apiKey, baseUrl, baseUrls, environment }: ServiceClientOptions): boolean =>
  !apiKey || !(baseUrl || (environment && baseUrls?.[environment]));

/** Throws immediately for invalid options, and on the first call for missing ones. */
export function settingsOf(options: ServiceClientOptions): () => Settings {
  const settings = isUnset(options) ? undefined : resolve(options);

  return () => settings ?? resolve(options);
}

/** The environment of sessions. Throws for `development`. */
export const sessionEnvironment = ({ environment }: Settings): Exclude<Environment, 'development'> =>
  environment === 'development' ? refuse('development serves the Events API alone.') : environment;

/** Reads a response with a function that may be the caller's. Converts its errors to protocol errors. */
export const readWith = <T>(
  { total }: CallContext,
  { status, requestId }: Sent,
  message: string,
  reader: () => T | Promise<T>,
): Promise<T> =>
  untilAborted(total.signal, async () => {
    try {
      return await reader();
    } catch (cause) {
      throw new ServiceError('protocol', message, { cause, status, requestId });
    }
  });

/** Sends one request of a call. */
export const post = (
  { requests }: Settings,
  context: CallContext,
  path: string,
  body: object,
  options: Partial<OutgoingCall> = {},
): Promise<Sent> => send(requests, { ...context, path, body, ...options });
