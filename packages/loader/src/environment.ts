// Decides which environment a URL belongs to (R-6, R-7). Pure functions of parsed URLs.
import { attempt } from './attempt.js';
import { invalid, LoaderError, mismatch } from './error.js';

/** An environment that takes payments (R-6). */
export type Environment = 'staging' | 'production';

/**
 * A session to open: its URL, or the response of the merchant's backend. Its `environment` is compared with the
 * loader's, but never chooses it.
 *
 * @example
 * const session: SessionRef = await (await fetch('/pay', { method: 'POST' })).json(); // { sessionUrl, environment }
 */
export type SessionRef =
  | string
  | {
      sessionUrl: string;
      environment?: Environment | undefined;
      /** Milliseconds until the session expires, from when it was received. Default: the flow's lifetime (R-51). */
      expiresInMs?: number | undefined;
    };

/** Sessions are compared by URL: a framework may create a new object on each render. */
export const urlOf = (session: SessionRef | null | undefined): string | undefined =>
  typeof session === 'string' ? session : session?.sessionUrl;

/** The options that choose the environment of a loader. */
export interface EnvironmentOptions {
  /** The environment. Optional if `loaderUrl` is one of `loaderUrls`. */
  environment?: Environment;
  /** `{sdk_loader_url}` (R-5): absolute, ends in `/app/embedded.loader.js`, `https:` or `http:` on loopback. */
  loaderUrl?: string;
  /** The loader URLs of both environments. With both, an error can name the other environment. */
  loaderUrls?: Partial<Record<Environment, string>>;
  /** URL prefixes of an environment's sessions, if they are not below the base of its loader. */
  sessionPrefixes?: Partial<Record<Environment, readonly string[]>>;
  /** `true` allows `http:` on any host in staging, as in a development network. Never in production. */
  allowInsecure?: boolean;
}

export const LOADER_PATH = '/app/embedded.loader.js';
const ENVIRONMENTS: readonly Environment[] = ['staging', 'production'];
const SECURE = /^https:|^http:\/\/(localhost|[^/]+\.localhost|127(\.\d+){3}|\[::1\])[:/]/;

/** Prefixes of our service's session ids. */
export const SESSION_ID_PREFIXES = { staging: 'stg_', production: 'prd_' } as const;

/** Copies the own properties of `value`, so that a polluted prototype can't add options. */
export const ownProperties = <T extends object>(value: T | undefined): Partial<T> =>
  Object.assign(Object.create(null), value);

export const parse = (value: unknown): URL | undefined => attempt(() => new URL(value as string));

export const originOf = (url: string): string => new URL(url).origin;

/** Decodes percent-encoded ASCII, as a server does: `%73` is an `s`. */
export const decodeAscii = (text: string): string =>
  text.replace(/%[0-7][\da-f]/gi, (escaped) => decodeURIComponent(escaped));

/** An address without query and fragment, which differ between retries, CDNs and sessions. */
export const identityOf = (address: string): string => address.replace(/[?#].*/, '');

/**
 * Characters of a URL. Reading one leniently takes time that grows with the square of its length, and finding its secrets
 * in a report also takes long.
 */
const MAX_URL = 4_096;

/** An address as a lenient server might read it: decoded, in lower case, without empty segments and parameters. */
function readLeniently(address: string): string {
  let text = address;
  for (let before; text !== before;) {
    before = text;
    text = decodeAscii(text).replace(/\\/g, '/');
  }

  text = text.replace(/;[^/]*/g, '').replace(/([^:/])\/+/g, '$1/');
  return identityOf((parse(text) ?? new URL(address)).href).toLowerCase();
}

/** The address below which everything belongs to the same environment as `url`. */
const baseOf = (url: URL): string => (url.origin + url.pathname).replace(LOADER_PATH, '').replace(/\/+$/, '');

/** Environments by base. Null if both environments have this base when read leniently. */
type Bases = Map<string, Environment | null>;

/** The environment of the longest base of an address, by whole segments. */
function lookUp(bases: Bases, address: string): Environment | null {
  let candidate = address;
  while (candidate && !bases.has(candidate)) candidate = candidate.slice(0, candidate.lastIndexOf('/'));
  return bases.get(candidate) ?? null;
}

/** The environment of a loader, and how it recognizes the URLs of both environments. */
export interface EnvironmentMap {
  /** Undefined if the options don't choose one, which {@link environmentOf} accepts. */
  environment: Environment | undefined;
  loaderUrl: URL | undefined;
  allowInsecure: boolean;
  exact: Bases;
  lenient: Bases;
}

/** Checks the options that choose an environment. Throws `invalid_options` or `environment_mismatch`. */
export function readEnvironments(input: EnvironmentOptions): EnvironmentMap {
  const options = ownProperties(input);
  const urls = ownProperties(options.loaderUrls);
  const prefixes = ownProperties(options.sessionPrefixes);
  const allowInsecure = options.allowInsecure === true;
  const map = { allowInsecure, exact: new Map() as Bases, lenient: new Map() as Bases };

  let { environment } = options;
  if (environment && !ENVIRONMENTS.includes(environment))
    throw invalid('environment must be staging or production.');

  let loaderUrl = options.loaderUrl
    ? configuredUrl(options.loaderUrl, 'loaderUrl', allowInsecure, environment, LOADER_PATH)
    : undefined;
  let listed: Environment | undefined;

  for (const each of ENVIRONMENTS) {
    if (urls[each]) {
      const url = configuredUrl(urls[each], `loaderUrls.${each}`, allowInsecure, each, LOADER_PATH);
      addBase(map, url, each);
      if (environment === each) loaderUrl ??= url;
      if (loaderUrl && baseOf(loaderUrl) === baseOf(url)) listed = each;
    }
    for (const prefix of prefixes[each] ?? [])
      addBase(map, configuredUrl(prefix, `sessionPrefixes.${each}`, allowInsecure, each), each);
  }

  if (loaderUrl) {
    environment ||= listed;
    if (environment && listed && listed !== environment) throw mismatch(environment, listed, 'its loaderUrl');
    if (!environment || (urls[environment] && !listed)) throw incomplete(environment);
    addBase(map, loaderUrl, environment);
  }
  return { ...map, environment, loaderUrl };
}

const isSafe = ({ href }: URL, allowInsecure: boolean, environment: Environment | undefined): boolean =>
  SECURE.test(href) || (allowInsecure && environment !== 'production' && href.startsWith('http:'));

function configuredUrl(
  value: unknown,
  name: string,
  allowInsecure: boolean,
  environment: Environment | undefined,
  path = '',
): URL {
  const url = parse(value);
  const isPlain = url && !url.username && !url.password && url.pathname.endsWith(path);
  if (isPlain && isSafe(url, allowInsecure, environment)) return url;

  throw invalid(
    `${name} must be an absolute https: URL (http: on loopback)${path && ` that ends in ${path}`}.`,
  );
}

function addBase(
  { exact, lenient }: Pick<EnvironmentMap, 'exact' | 'lenient'>,
  url: URL,
  environment: Environment,
): void {
  const base = baseOf(url);
  if ((exact.get(base) ?? environment) !== environment)
    throw invalid(`${base} is listed for both environments.`);

  exact.set(base, environment);

  // Bases that differ only in spelling match exactly or not at all.
  const spelling = readLeniently(base);
  lenient.set(spelling, (lenient.get(spelling) ?? environment) === environment ? environment : null);
}

/** The environment of a URL, read literally and as a lenient server might. */
export function findEnvironment(
  { exact, lenient }: EnvironmentMap,
  { href, pathname }: URL,
): [exact: Environment | null, lenient: Environment | null] {
  if (href.length > MAX_URL) return [null, null];

  const address = identityOf(href);
  // Behind a proxy, an encoded slash can escape from the path that the URL seems to be below. So can what is encoded twice,
  // and an encoded ? or # hides the rest of the path from the lenient reading.
  const found = /%(2[35f]|3f|5c)/i.test(pathname) ? null : lookUp(exact, address);
  return [found, lookUp(lenient, readLeniently(address))];
}

/** Validates a session and returns its URL. Throws if it belongs to another environment. */
export function sessionUrlOf(ref: SessionRef, expected: Environment, map: EnvironmentMap): string {
  const { sessionUrl, environment } = ownProperties(typeof ref === 'string' ? { sessionUrl: ref } : ref);
  const url = parse(sessionUrl);
  if (!url || !isSafe(url, map.allowInsecure, expected))
    throw invalid('sessionUrl must be an absolute https: URL (http: on loopback).');

  const [exact, lenient] = findEnvironment(map, url);
  for (const found of [environment, exact ?? environmentOfId(url), lenient])
    if (found && found !== expected) throw mismatch(expected, found, 'the session');
  if (exact) return url.href;

  throw new LoaderError(
    'unknown_session_url',
    `The session at ${url.origin} has no known environment: if it is for ${expected}, add it to sessionPrefixes.`,
    { expected, found: url.origin },
  );
}

/** The environment in the id of one of our service's sessions. */
function environmentOfId({ pathname }: URL): Environment | undefined {
  const [id = ''] = /\/s\/[^/]+$/.exec(pathname) ?? [];
  return ENVIRONMENTS.find((each) => id.startsWith(`/s/${SESSION_ID_PREFIXES[each]}`));
}

/** For options that are not sufficient to load. */
export const incomplete = (environment: Environment | undefined): LoaderError =>
  invalid(
    environment
      ? `Set loaderUrl or loaderUrls.${environment}; if both, the same.`
      : 'Set environment, or loaderUrl in loaderUrls.',
  );

/**
 * The environment that a session's URL belongs to, or null if it belongs to none (R-7). Scheme, host and port must be
 * equal, paths match by whole segments, and the longest match wins. A path that belongs to the other environment once it
 * is decoded and in lower case belongs to that one. Throws `invalid_options`.
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
  const map = readEnvironments(options);
  const parsed = parse(url);
  if (!parsed) return null;

  const [exact, lenient] = findEnvironment(map, parsed);
  return exact && (lenient ?? exact);
}
