/** Which environment a base URL is of: given, or found in `baseUrls`, never guessed. */
import { ServiceError } from './error.js';

/** An environment of the service; `development` serves the Events API alone. */
export type Environment = 'development' | 'staging' | 'production';

const ENVIRONMENTS: readonly Environment[] = ['development', 'staging', 'production'];

export interface Addresses {
  environment?: Environment | undefined;
  baseUrl?: string | undefined;
  baseUrls?: Partial<Record<Environment, string>> | undefined;
}

const refuse = (message: string): never => {
  throw new ServiceError('configuration', message);
};

/** A base URL without its closing slash; `insecure` allows `http:` beyond loopback. */
const baseOf = (text: unknown, name: string, insecure: boolean): string => {
  let url: URL;
  try {
    url = new URL(String(text));
  } catch {
    return refuse(`${name} is not an absolute URL.`);
  }
  const loopback =
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname) || url.hostname.endsWith('.localhost');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (loopback || insecure)))
    refuse(`${name} must be https:, or http: on loopback: the API key travels with every request.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    refuse(`${name} must have no user name, password, query or fragment.`);
  return url.origin + url.pathname.replace(/\/+$/, '');
};

/** The environment and its base URL, or a refusal that names what disagrees. */
export function resolveEnvironment(
  { environment, baseUrl, baseUrls = {} }: Addresses,
  insecure: boolean,
): { environment: Environment; baseUrl: string } {
  if (environment !== undefined && !ENVIRONMENTS.includes(environment))
    refuse(`environment must be one of ${ENVIRONMENTS.join(', ')}.`);
  const listed = ENVIRONMENTS.flatMap((name) => {
    const url = baseUrls[name];
    return url === undefined ? [] : [{ name, url: baseOf(url, `baseUrls.${name}`, insecure) }];
  });
  if (baseUrl === undefined) {
    const found = listed.find(({ name }) => name === environment);
    return found === undefined
      ? refuse('Give baseUrl, or environment with its entry in baseUrls.')
      : { environment: found.name, baseUrl: found.url };
  }
  const base = baseOf(baseUrl, 'baseUrl', insecure);
  const owners = listed.filter(({ url }) => url === base).map(({ name }) => name);
  if (environment === undefined) {
    const [owner, another] = owners;
    if (another !== undefined) refuse(`baseUrls lists baseUrl under both ${owner} and ${another}.`);
    return owner === undefined
      ? refuse('Give environment, or list baseUrl in baseUrls: the environment is never guessed.')
      : { environment: owner, baseUrl: base };
  }
  const expected = listed.find(({ name }) => name === environment);
  if (owners.some((owner) => owner !== environment) || (expected !== undefined && expected.url !== base))
    refuse(
      `environment is ${environment}, but baseUrls lists baseUrl under ${owners.join(' and ') || 'no environment'}.`,
    );
  return { environment, baseUrl: base };
}

/** Refuses to run where a page could read the API key. */
export function refuseBrowser(): void {
  const { document, process, Deno } = globalThis as {
    document?: unknown;
    process?: { versions?: { node?: string } };
    Deno?: unknown;
  };
  if (document === undefined || process?.versions?.node !== undefined || Deno !== undefined) return;
  refuse(
    'This client must not run in a browser: whoever opens the page could read the API key. Create sessions on your ' +
      'server and hand only the session URL to the page.',
  );
}
