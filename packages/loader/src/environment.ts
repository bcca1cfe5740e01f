// Which environment a URL is of (R-6, R-7). Pure: parsed URLs in, a decision or a refusal out.
import { invalid, LoaderError, mismatch } from './error.js';

/** An environment that takes payments (R-6). */
export type Environment = 'staging' | 'production';

/**
 * A session to open: its URL, or what the merchant's backend answered. An `environment` given here is held against
 * the loader's; it never chooses it.
 *
 * @example
 * const session: SessionRef = await (await fetch('/pay', { method: 'POST' })).json(); // { sessionUrl, environment }
 */
export type SessionRef =
  | string
  | {
      sessionUrl: string;
      environment?: Environment;
      /** Milliseconds from the receipt of the session until it expires; default: the flow's lifetime (R-51). */
      expiresInMs?: number;
    };

/** The part of a loader's options that says which environment it is for. */
export interface EnvironmentOptions {
  /** The environment; may be left out when `loaderUrl` is one of `loaderUrls`. */
  environment?: Environment;
  /** `{sdk_loader_url}` (R-5): absolute, ends in `/app/embedded.loader.js`, `https:` or `http:` on loopback. */
  loaderUrl?: string;
  /** Both environments' loader URLs, known in advance: a refusal can then call the other one by its name. */
  loaderUrls?: Partial<Record<Environment, string>>;
  /** Where an environment's sessions live, when that is not under its loader's base. */
  sessionPrefixes?: Partial<Record<Environment, readonly string[]>>;
}

export const LOADER_PATH = '/app/embedded.loader.js';
const ENVIRONMENTS: readonly Environment[] = ['staging', 'production'];
const SECURE = /^https:|^http:\/\/(localhost|[^/]+\.localhost|127(\.\d+){3}|\[::1\])[:/]/;

/** A copy of an object's own properties: what a polluted prototype adds is nobody's option. */
export const own = <T extends object>(value: T | undefined): Partial<T> =>
  Object.assign(Object.create(null), value);

export function parse(value: unknown): URL | undefined {
  try {
    return new URL(value as string);
  } catch {
    return undefined;
  }
}

function configured(value: unknown, name: string, path = ''): URL {
  const url = parse(value);
  if (url && SECURE.test(url.href) && !url.username && !url.password && url.pathname.endsWith(path))
    return url;
  throw invalid(
    `${name} must be an absolute https: URL (http: on loopback)${path && ` that ends in ${path}`}.`,
  );
}

/** Of options that say no environment, or not where it is. */
export const unsaid = (): LoaderError => invalid('Give environment, or loaderUrl in loaderUrls.');

/** Where what a URL stands for lives: without the loader's path, without the last slash. */
const homeOf = (url: URL): string => (url.origin + url.pathname).replace(LOADER_PATH, '').replace(/\/+$/, '');

/** What the options say, checked. */
export interface Place {
  /** Undefined where the options say none: enough for {@link environmentOf}. */
  environment: Environment | undefined;
  loaderUrl: URL | undefined;
  /** The environment of any URL. */
  find: (url: URL) => Environment | null;
}

/** Reads the options once, at the door. Throws `invalid_options` or `environment_mismatch`. */
export function placeOf(input: EnvironmentOptions): Place {
  const options = own(input);
  const urls = own(options.loaderUrls);
  const prefixes = own(options.sessionPrefixes);
  const homes = new Map<string, Environment>();
  const settle = (url: URL, of: Environment) => {
    const home = homeOf(url);
    if ((homes.get(home) ?? of) !== of) throw invalid(`${home} is given for both environments.`);
    homes.set(home, of);
  };

  let { environment } = options;
  if (environment && !ENVIRONMENTS.includes(environment))
    throw invalid('environment must be staging or production.');
  let loaderUrl = options.loaderUrl ? configured(options.loaderUrl, 'loaderUrl', LOADER_PATH) : undefined;
  let listed: Environment | undefined;
  for (const of of ENVIRONMENTS) {
    if (urls[of]) {
      const url = configured(urls[of], `loaderUrls.${of}`, LOADER_PATH);
      settle(url, of);
      if (environment === of) loaderUrl ??= url;
      if (loaderUrl && homeOf(loaderUrl) === homeOf(url)) listed = of;
    }
    for (const prefix of prefixes[of] ?? []) settle(configured(prefix, `sessionPrefixes.${of}`), of);
  }
  if (loaderUrl) {
    environment ||= listed;
    if (environment && listed && listed !== environment) throw mismatch(environment, listed, 'its loaderUrl');
    if (!environment || (urls[environment] && !listed)) throw unsaid();
    settle(loaderUrl, environment);
  }

  return {
    environment,
    loaderUrl,
    find({ href, pathname }) {
      // With its user name, where it has one, it lies nowhere. An encoded slash may lead a server behind a proxy out
      // of the path that the URL seems to be under.
      let at = /%2f|%5c/i.test(pathname) ? '' : href.replace(/[?#].*/, '');
      while (at && !homes.has(at)) at = at.slice(0, at.lastIndexOf('/'));
      return homes.get(at) ?? null;
    },
  };
}

/**
 * The environment that a session's URL belongs to, or null where it is of none (R-7): compared as parsed URLs, by
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
  const { find } = placeOf(options);
  const parsed = parse(url);
  return parsed ? find(parsed) : null;
}

/** A session's URL, if it is of the environment that is `expected`. Throws what a flow rejects with. */
export function sessionUrlOf(ref: SessionRef, expected: Environment, find: Place['find']): string {
  const { sessionUrl, environment } = own(typeof ref === 'string' ? { sessionUrl: ref } : ref);
  const url = parse(sessionUrl);
  if (!url || !SECURE.test(url.href))
    throw invalid('The session URL must be an https: URL (http: on loopback).');
  const found = find(url);
  for (const claimed of [environment ?? expected, found ?? expected])
    if (claimed !== expected) throw mismatch(expected, claimed, 'the session');
  if (found) return url.href;
  throw new LoaderError(
    'unknown_session_url',
    `The session at ${url.origin} is of no known environment: if it is of ${expected}, add it to sessionPrefixes.`,
    { expected, found: url.origin },
  );
}
