// Which environment a URL is of (R-6, R-7). Pure: parsed URLs in, a decision or a refusal out.
import { attempt } from './attempt.js';
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
      environment?: Environment | undefined;
      /** Milliseconds from the receipt of the session until it expires; default: the flow's lifetime (R-51). */
      expiresInMs?: number | undefined;
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
  /** `true`: staging's URLs may be `http:` on any host, as in a development network. Production's never. */
  allowInsecure?: boolean;
}

export const LOADER_PATH = '/app/embedded.loader.js';
const ENVIRONMENTS: readonly Environment[] = ['staging', 'production'];
const SECURE = /^https:|^http:\/\/(localhost|[^/]+\.localhost|127(\.\d+){3}|\[::1\])[:/]/;

/** A copy of an object's own properties: what a polluted prototype adds is nobody's option. */
export function own<T extends object>(value: T | undefined): Partial<T> {
  try {
    return Object.assign(Object.create(null), value);
  } catch {
    throw invalid('An option cannot be read: its getter throws.');
  }
}

export const parse = (value: unknown): URL | undefined => attempt(() => new URL(value as string));

/** `%73` is an `s` to a server; what is not ASCII tells no environment apart. */
export const decoded = (text: string): string =>
  text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** An address without query and fragment, which a retry, a CDN or a session may vary. With a user name it lies nowhere. */
export const identityOf = (address: string): string => address.replace(/[?#].*/, '');

/** An address as a lenient server may read it: decoded, without regard to case, empty segments and parameters. */
function loosely(address: string): string {
  let text = address;
  for (let before; text !== before;) {
    before = text;
    text = decoded(text).replace(/\\/g, '/');
  }
  text = text.replace(/;[^/]*/g, '').replace(/([^:/])\/+/g, '$1/');
  return identityOf((parse(text) ?? new URL(address)).href).toLowerCase();
}

/** Where what a URL stands for lives: without the loader's path, without the last slash. */
const homeOf = (url: URL): string => (url.origin + url.pathname).replace(LOADER_PATH, '').replace(/\/+$/, '');

type Homes = Map<string, Environment | null>;

/** The environment of the longest home that an address lies in, by whole segments. */
function lookUp(homes: Homes, address: string): Environment | null {
  let at = address;
  while (at && !homes.has(at)) at = at.slice(0, at.lastIndexOf('/'));
  return homes.get(at) ?? null;
}

/** What the options say, checked. */
export interface Place {
  /** Undefined where the options say none: enough for {@link environmentOf}. */
  environment: Environment | undefined;
  loaderUrl: URL | undefined;
  /** Where the environment's sessions live. */
  origins: Set<string>;
  /** Whether a URL may be used in an environment. */
  isSafe: (url: URL, of: Environment | undefined) => boolean;
  /** The environment of any URL: exactly, and as a lenient server may read it. */
  find: (url: URL) => [exact: Environment | null, loose: Environment | null];
}

/** Reads the options once, at the door. Throws `invalid_options` or `environment_mismatch`. */
export function placeOf(input: EnvironmentOptions): Place {
  const options = own(input);
  const urls = own(options.loaderUrls);
  const prefixes = own(options.sessionPrefixes);
  const homes: Homes = new Map();
  const looseHomes: Homes = new Map();
  const isSafe: Place['isSafe'] = ({ href }, of) =>
    SECURE.test(href) || (options.allowInsecure === true && of !== 'production' && href.startsWith('http:'));
  const configured = (value: unknown, name: string, of: Environment | undefined, path = ''): URL => {
    const url = parse(value);
    if (url && isSafe(url, of) && !url.username && !url.password && url.pathname.endsWith(path)) return url;
    throw invalid(
      `${name} must be an absolute https: URL (http: on loopback)${path && ` that ends in ${path}`}.`,
    );
  };
  const settle = (url: URL, of: Environment) => {
    const home = homeOf(url);
    if ((homes.get(home) ?? of) !== of) throw invalid(`${home} is given for both environments.`);
    homes.set(home, of);
    const loose = loosely(home);
    // Homes that differ by no more than their spelling are told apart exactly or not at all.
    looseHomes.set(loose, (looseHomes.get(loose) ?? of) === of ? of : null);
  };

  let { environment } = options;
  if (environment && !ENVIRONMENTS.includes(environment))
    throw invalid('environment must be staging or production.');
  let loaderUrl = options.loaderUrl
    ? configured(options.loaderUrl, 'loaderUrl', environment, LOADER_PATH)
    : undefined;
  let listed: Environment | undefined;
  for (const of of ENVIRONMENTS) {
    if (urls[of]) {
      const url = configured(urls[of], `loaderUrls.${of}`, of, LOADER_PATH);
      settle(url, of);
      if (environment === of) loaderUrl ??= url;
      if (loaderUrl && homeOf(loaderUrl) === homeOf(url)) listed = of;
    }
    for (const prefix of prefixes[of] ?? []) settle(configured(prefix, `sessionPrefixes.${of}`, of), of);
  }
  if (loaderUrl) {
    environment ||= listed;
    if (environment && listed && listed !== environment) throw mismatch(environment, listed, 'its loaderUrl');
    if (!environment || (urls[environment] && !listed)) throw unsaid(environment);
    settle(loaderUrl, environment);
  }

  return {
    environment,
    loaderUrl,
    isSafe,
    origins: new Set([...homes].flatMap(([home, of]) => (of === environment ? new URL(home).origin : []))),
    find(url) {
      const address = identityOf(url.href);
      // An encoded slash may lead a server behind a proxy out of the path that the URL seems to be under.
      const exact = /%2f|%5c/i.test(url.pathname) ? null : lookUp(homes, address);
      return [exact, lookUp(looseHomes, loosely(address))];
    },
  };
}

/** Of options that say no environment, or not where it is. */
export const unsaid = (environment: Environment | undefined): LoaderError =>
  invalid(
    environment
      ? `Give loaderUrl or loaderUrls.${environment}, and if both, the same.`
      : 'Give environment, or loaderUrl in loaderUrls.',
  );

/**
 * The environment that a session's URL belongs to, or null where it is of none (R-7): compared as parsed URLs, by
 * exact scheme, host and port and whole path segments; the longest match wins. A path that falls under the other
 * environment once it is decoded, or without regard to case, is of that one. Throws `invalid_options`.
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
  const [exact, loose] = parsed ? find(parsed) : [null, null];
  return exact && (loose ?? exact);
}

/** A session's URL, if it is of the environment that is `expected`. Throws what a flow rejects with. */
export function sessionUrlOf(ref: SessionRef, expected: Environment, { find, isSafe }: Place): string {
  const { sessionUrl, environment } = own(typeof ref === 'string' ? { sessionUrl: ref } : ref);
  const url = parse(sessionUrl);
  if (!url || !isSafe(url, expected)) throw invalid('sessionUrl must be an https: URL (http: on loopback).');
  const [exact, loose] = find(url);
  for (const claimed of [environment, exact, loose])
    if (claimed && claimed !== expected) throw mismatch(expected, claimed, 'the session');
  if (exact) return url.href;
  throw new LoaderError(
    'unknown_session_url',
    `The session at ${url.origin} is of no known environment: if it is of ${expected}, add it to sessionPrefixes.`,
    { expected, found: url.origin },
  );
}
