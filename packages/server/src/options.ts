import { ServiceError } from './error.js';

/** An environment of the service. `development` serves the Events API only. */
export type Environment = 'development' | 'staging' | 'production';

export const isEnvironment = (name: unknown): name is Environment =>
  ['development', 'staging', 'production'].includes(name as string);

export function refuse(message: string): never {
  throw new ServiceError('configuration', message);
}

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
export function resolveEnvironment(
  options: {
    environment?: Environment | undefined;
    baseUrl?: string | undefined;
    baseUrls?: Partial<Record<Environment, string | undefined>> | undefined;
  },
  insecure: boolean,
): { environment: Environment; baseUrl: string } {
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

/** Timeouts and retries of a client or of a single call. */
export interface Limits {
  /** Milliseconds per attempt, up to the last byte of its response. Default: 15,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and waits together, including your own functions. Default: 45,000. */
  totalTimeoutMs?: number | undefined;
  /** Retries after a transient failure. Default: 2; 0 turns them off. */
  maxRetries?: number | undefined;
}

export type ResolvedLimits = { [Name in keyof Limits]-?: number };

export const DEFAULT_LIMITS: ResolvedLimits = { timeoutMs: 15_000, totalTimeoutMs: 45_000, maxRetries: 2 };

/** A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function resolveLimits<Defaults extends ResolvedLimits>(limits: Limits, defaults: Defaults): Defaults {
  const resolved = { ...defaults };

  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const value = (resolved[name] = limits[name] ?? resolved[name]);
    if (!(value >= 0 && value <= MAX_TIMER_MS)) refuse(`${name} is out of range.`);
  }
  return resolved;
}
