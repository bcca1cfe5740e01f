// Which environment a URL is of. Pure: parsed URLs in, a decision or a refusal out.
import { LoaderError } from './error.js';

/** An environment that takes payments. */
export type Environment = 'staging' | 'production';

/**
 * A session to open: its URL, or what the merchant's backend answered. An `environment` given here is held against
 * the loader's; it never chooses it.
 */
export type SessionRef =
  | string
  | {
      sessionUrl: string;
      environment?: Environment;
      /** Milliseconds from the receipt of the session until it expires; default: the flow's lifetime. */
      expiresInMs?: number;
    };

/** The part of a loader's options that says which environment it is for. */
export interface EnvironmentOptions {
  /** The environment; may be left out when `loaderUrl` is one of `loaderUrls`. */
  environment?: Environment;
  /** `{sdk_loader_url}`: absolute, ends in `/app/embedded.loader.js`, `https:` or `http:` on loopback. */
  loaderUrl?: string;
  /** Both environments' loader URLs, known in advance: a refusal can then call the other one by its name. */
  loaderUrls?: Partial<Record<Environment, string>>;
  /** Where an environment's sessions live, when that is not under its loader's base. */
  sessionPrefixes?: Partial<Record<Environment, readonly string[]>>;
}

/** Where an environment's sessions live: an origin, and a path without its last slash. */
interface Prefix {
  environment: Environment;
  origin: string;
  path: string;
}

/** What the options say, checked. Without `environment`: only that much was said. */
export interface Place {
  environment: Environment | undefined;
  loaderUrl: URL | undefined;
  /** Loader scripts by their identity, of both environments where both are known. */
  scripts: Map<string, Environment>;
  prefixes: Prefix[];
}

export const LOADER_PATH = '/app/embedded.loader.js';
const ENVIRONMENTS = ['staging', 'production'] as const;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** A copy of an object's own properties: what a polluted prototype adds is nobody's option. */
export const own = <T extends object>(value: T | undefined): Partial<T> =>
  Object.assign(Object.create(null), value);

export const invalid = (message: string): LoaderError => new LoaderError('invalid_options', message);

export const mismatch = (expected: string | undefined, found: string, what: string): LoaderError =>
  new LoaderError(
    'environment_mismatch',
    `This loader is for ${expected}, but ${what} is of ${found}. A session and its loader must be of one environment.`,
    { expected, found },
  );

/** A script's identity: its address without query and fragment, which a retry or a CDN may vary. */
export const identityOf = (url: URL): string => url.origin + url.pathname;

function parse(value: unknown): URL | undefined {
  try {
    return new URL(value as string);
  } catch {
    return undefined;
  }
}

const allowed = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));

function configured(value: unknown, name: string): URL {
  const url = parse(value);
  if (!url || !allowed(url) || url.username || url.password)
    throw invalid(`${name} must be an absolute https: URL (http: on loopback) without a user name.`);
  return url;
}

function loaderUrlOf(value: unknown, name: string): URL {
  const url = configured(value, name);
  if (!url.pathname.endsWith(LOADER_PATH)) throw invalid(`${name} must end in ${LOADER_PATH}.`);
  return url;
}

const prefixOf = (environment: Environment, { origin, pathname }: URL): Prefix => ({
  environment,
  origin,
  path: pathname.replace(/\/+$/, ''),
});

const baseOf = (url: URL): URL => new URL(url.pathname.slice(0, -LOADER_PATH.length) || '/', url);

/** Reads the options once, at the door. Throws `invalid_options` or `environment_mismatch`. */
export function placeOf(input: EnvironmentOptions): Place {
  const options = own(input);
  const urls = own(options.loaderUrls);
  const sessionPrefixes = own(options.sessionPrefixes);
  let { environment } = options;
  if (environment !== undefined && !ENVIRONMENTS.includes(environment))
    throw invalid(`environment must be one of: ${ENVIRONMENTS.join(', ')}.`);

  const prefixes: Prefix[] = [];
  const scripts = new Map<string, Environment>();
  const known: Partial<Record<Environment, URL>> = {};
  const add = (prefix: Prefix) => {
    if (
      prefixes.some(
        (p) => p.environment !== prefix.environment && p.origin === prefix.origin && p.path === prefix.path,
      )
    )
      throw invalid(
        `${prefix.origin}${prefix.path} is given for both environments: one URL cannot be of two.`,
      );
    prefixes.push(prefix);
  };
  const addLoader = (of: Environment, url: URL) => {
    scripts.set(identityOf(url), of);
    add(prefixOf(of, baseOf(url)));
  };

  for (const of of ENVIRONMENTS) {
    if (urls[of] !== undefined) addLoader(of, (known[of] = loaderUrlOf(urls[of], `loaderUrls.${of}`)));
    for (const prefix of sessionPrefixes[of] ?? [])
      add(prefixOf(of, configured(prefix, `sessionPrefixes.${of}`)));
  }

  let loaderUrl = environment && known[environment];
  if (options.loaderUrl !== undefined) {
    const given = loaderUrlOf(options.loaderUrl, 'loaderUrl');
    const listed = scripts.get(identityOf(given));
    if (environment && listed && listed !== environment) throw mismatch(environment, listed, 'its loaderUrl');
    if (!listed && (!environment || loaderUrl))
      throw invalid('loaderUrl is none of loaderUrls: add it there, or give the environment that it is of.');
    environment ??= listed!;
    loaderUrl = given;
    if (!listed) addLoader(environment, given);
  }
  return { environment, loaderUrl, scripts, prefixes };
}

function find(url: URL, prefixes: readonly Prefix[]): Environment | null {
  // An encoded slash may lead a server behind a proxy out of the prefix that it seems to be under.
  if (!allowed(url) || url.username || url.password || /%2f|%5c/i.test(url.pathname)) return null;
  let best: Prefix | undefined;
  for (const prefix of prefixes)
    if (
      url.origin === prefix.origin &&
      `${url.pathname}/`.startsWith(`${prefix.path}/`) &&
      prefix.path.length >= (best?.path.length ?? 0)
    )
      best = prefix;
  return best?.environment ?? null;
}

/**
 * The environment that a session's URL belongs to, or null where it is of none: compared as parsed URLs, by
 * exact scheme, host and port and whole path segments; the longest match wins. Throws `invalid_options`.
 *
 * @example
 * const loaderUrls = {
 *   staging: 'https://pay.staging.example.com/app/embedded.loader.js',
 *   production: 'https://pay.example.com/app/embedded.loader.js',
 * };
 * environmentOf('https://pay.example.com/s/prd_1', { loaderUrls }); // 'production'
 * environmentOf('https://pay.example.com.evil.test/s/prd_1', { loaderUrls }); // null
 */
export function environmentOf(url: string | URL, options: EnvironmentOptions): Environment | null {
  const { prefixes } = placeOf(options);
  const parsed = parse(url);
  return parsed ? find(parsed, prefixes) : null;
}

/** The session's URL, when it is of `place`'s environment. Throws what the door of a flow rejects with. */
export function sessionUrlOf(ref: SessionRef, place: Place): string {
  const session = typeof ref === 'string' ? { sessionUrl: ref } : own(ref);
  const expected = place.environment;
  const url = parse(session.sessionUrl);
  if (!url || !allowed(url))
    throw invalid(
      'The session URL must be an absolute https: URL (http: on loopback), as the backend received it.',
    );
  if (session.environment !== undefined && session.environment !== expected)
    throw mismatch(expected, session.environment, 'the session');
  const found = find(url, place.prefixes);
  if (!found)
    throw new LoaderError(
      'unknown_session_url',
      `The session's URL at ${url.origin} is of no known environment. If ${expected} sessions live there, add its address to sessionPrefixes.${expected}.`,
      { expected, found: url.origin },
    );
  if (found !== expected) throw mismatch(expected, found, 'the session');
  return url.href;
}
