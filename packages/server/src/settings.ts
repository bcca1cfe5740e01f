/** Settings of a client's calls, resolved from its options. */
import { refuse } from './error.js';
import type { Environment, Limits, ServiceClientOptions } from './surface.js';
import { type Transport, transportTo } from './transport.js';

export interface Settings
  extends Record<keyof Limits, number>, Pick<ServiceClientOptions, 'onRequest' | 'onResponse'> {
  environment: Environment;
  baseUrl: string;
  apiKey: string | (() => Promise<string>);
  transport: Transport;
}

export const isEnvironment = (name: unknown): name is Environment =>
  ['development', 'staging', 'production'].includes(name as string);

/** A base URL without its trailing slash. `insecure` allows `http:` outside loopback. */
const baseOf = (text: string, insecure: boolean): string => {
  const { protocol, hostname, origin, pathname, href } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:');
  const plain = insecure || /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (!(protocol === 'https:' || (protocol === 'http:' && plain)) || href !== origin + pathname)
    refuse('A base URL must be https:, or http: on loopback, without credentials, query and fragment.');
  return href.replace(/\/+$/, '');
};

/** Resolves the environment, which is set or found in `baseUrls`, never guessed. Throws if options conflict. */
function resolveEnvironment(options: ServiceClientOptions): Pick<Settings, 'environment' | 'baseUrl'> {
  const insecure = options.fetch !== undefined;
  const listed = Object.entries(options.baseUrls ?? {}).flatMap(([name, url]) =>
    url ? [[name as Environment, baseOf(url, insecure)] as const] : [],
  );
  const own = listed.find(([name]) => name === options.environment)?.[1];
  const baseUrl = options.baseUrl ? baseOf(options.baseUrl, insecure) : own;
  const owners = listed.filter(([, url]) => url === baseUrl).map(([name]) => name);
  const environment = options.environment || owners[0];
  if (
    baseUrl === undefined ||
    !isEnvironment(environment) ||
    (own ?? baseUrl) !== baseUrl ||
    owners.some((owner) => owner !== environment)
  )
    return refuse(
      `Set baseUrl and environment: environment is ${environment}, baseUrls has this URL under ${owners.join(' and ') || 'none'}.`,
    );
  return { environment, baseUrl };
}

/** Throws in a browser or an app, where anyone could read the API key. */
export function refuseBrowser(): void {
  const { document, navigator, process, Deno } = globalThis as {
    document?: unknown;
    navigator?: { product?: unknown };
    process?: { versions?: { node?: string } };
    Deno?: unknown;
  };
  const isApp = navigator?.product === 'ReactNative';
  if (isApp || (document && !process?.versions?.node && !Deno))
    refuse('In a browser or an app, anyone can read the API key: pass a session URL to the page instead.');
}

const DEFAULT_LIMITS: Record<keyof Limits, number> = {
  timeoutMs: 15_000,
  totalTimeoutMs: 45_000,
  maxRetries: 2,
};

/** A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function resolveLimits<D extends typeof DEFAULT_LIMITS>(limits: Limits, defaults: D): D {
  const resolved = { ...defaults };

  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const value = (resolved[name] = limits[name] ?? resolved[name]);
    if (!(value >= 0 && value <= MAX_TIMER_MS)) refuse(`${name} must be from 0 to ${MAX_TIMER_MS}.`);
  }
  return resolved;
}

function resolve(options: ServiceClientOptions): Settings {
  const { apiKey, fetch, onRequest, onResponse } = options;
  const { environment, baseUrl } = resolveEnvironment(options);

  return {
    ...resolveLimits(options, DEFAULT_LIMITS),
    environment,
    baseUrl,
    apiKey: apiKey || refuse('apiKey is not set.'),
    transport: transportTo(baseUrl, fetch),
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
