/** Settings of a client's calls, resolved from its options. */
import { type Environment, refuse, resolveEnvironment, DEFAULT_LIMITS, resolveLimits } from './options.js';
import type { Settings } from './request.js';
import type { ServiceClientOptions } from './surface.js';
import { transportTo } from './transport.js';

function resolve(options: ServiceClientOptions): Settings {
  const { apiKey, fetch, onRequest, onResponse } = options;
  const place = resolveEnvironment(options, fetch !== undefined);

  return {
    ...resolveLimits(options, DEFAULT_LIMITS),
    ...place,
    apiKey: apiKey || refuse('apiKey is not set.'),
    transport: transportTo(place.baseUrl, fetch),
    onRequest,
    onResponse,
  };
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
  environment === 'development' ? refuse('development has only the Events API.') : environment;
