/** What every call of a client needs, settled from its options. */
import { type Environment, refuse, resolveEnvironment } from './environment.js';
import { ServiceError } from './error.js';
import { until } from './deadline.js';
import { limitsOf, type Settled } from './limits.js';
import { type Call, type Course, send, type Sent, type TransportConfig } from './request.js';
import type { ServiceClientOptions } from './surface.js';

export interface Settings {
  readonly environment: Environment;
  readonly transport: TransportConfig;
  readonly limits: Settled;
}

function settle(options: ServiceClientOptions): Settings {
  const { apiKey, onRequest, onResponse } = options;
  const { environment, baseUrl } = resolveEnvironment(options, options.fetch !== undefined);
  const transport: TransportConfig = {
    baseUrl,
    apiKey: apiKey || refuse('apiKey is not set.'),
    fetch: options.fetch,
    onRequest,
    onResponse,
  };
  return { environment, transport, limits: limitsOf(options) };
}

/** A value of the process's environment that is not there, as where an app is built without its secrets. */
const isUnset = ({ apiKey, baseUrl, baseUrls, environment }: ServiceClientOptions): boolean =>
  !apiKey || !(baseUrl || (environment && baseUrls?.[environment]));

/** What is wrong with the options is told at once; what is not set, not before the first call. */
export function settingsOf(options: ServiceClientOptions): () => Settings {
  if (!isUnset(options)) settle(options);
  return () => settle(options);
}

/** The environment of sessions: every one but `development`. */
export const sessionEnvironment = ({ environment }: Settings): Exclude<Environment, 'development'> =>
  environment === 'development' ? refuse('development serves the Events API alone.') : environment;

/** Has an answer read by a function that may be the caller's; what it throws, or rejects with, is a protocol error. */
export const readBy = <T>(
  { total }: Course,
  { status, requestId }: Sent,
  complaint: string,
  reader: () => T | Promise<T>,
): Promise<T> =>
  until(total.signal, async () => {
    try {
      return await reader();
    } catch (cause) {
      throw new ServiceError('protocol', complaint, { cause, status, requestId });
    }
  });

/** Sends one request of a call. */
export const post = (
  { transport }: Settings,
  course: Course,
  path: string,
  body: object,
  more: Partial<Call> = {},
): Promise<Sent> => send(transport, { ...course, path, body, ...more });
