// The only file that touches <script>.
import { identityOf, LOADER_PATH, parse, type Environment, type Place } from './environment.js';
import { LoaderError } from './error.js';
import { LOOK_MS, pause, registry, type TrustedTypesWindow } from './registry.js';

/** The types that a browser runs: a consent manager parks scripts under another one. */
const RUNS = /^(module|(text|application)\/(x-)?(java|ecma)script[\d.]*)?$/i;

/** Loader scripts on the page, of any environment, whoever put them there. */
const loaderTags = (): HTMLScriptElement[] =>
  [...document.scripts].filter(
    ({ src, type, noModule }) =>
      identityOf(src).endsWith(LOADER_PATH) && parse(src) && RUNS.test(type) && !noModule,
  );

export const tagOf = (identity: string): HTMLScriptElement | undefined =>
  loaderTags().find(({ src }) => identityOf(src) === identity);

/** Another loader that is on this page, or was put there by us and may have run: its environment, or else its origin. */
export function otherLoader(
  identity: string,
  environment: Environment,
  find: Place['find'],
): string | undefined {
  for (const other of registry().scripts.values()) if (other !== environment) return other;
  const other = loaderTags().find(({ src }) => identityOf(src) !== identity);
  if (!other) return undefined;
  const url = new URL(other.src);
  const [found] = find(url);
  // Below our own base it may be anything: there its address is all that tells it apart.
  return found && found !== environment ? found : url.origin;
}

const blocked = (fix: string) =>
  new LoaderError('csp_blocked', `The page's Content-Security-Policy blocks the SDK: add ${fix}.`);

/** The address as the page wants it: through our policy where it enforces Trusted Types. */
function trusted(url: string): string {
  const page = registry();
  try {
    page.policy ??= (globalThis as unknown as TrustedTypesWindow).trustedTypes?.createPolicy(
      'embedded-sessions',
      {
        // Others on the page can reach it too: it is good for loaders alone.
        createScriptURL: (address) => (identityOf(address).endsWith(LOADER_PATH) ? address : ''),
      },
    );
  } catch {
    // A page may forbid the policy and still take plain strings; if it does not, setting `src` throws.
  }
  return (page.policy?.createScriptURL(url) ?? url) as string;
}

const pageNonce = () => document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? '';

/** A cache may hold what failed, and a browser lets a second request wait for the first that never ends. */
function addressOf(url: string): string {
  const address = new URL(url);
  const { dropped } = registry();
  if (dropped[0]) address.searchParams.set('retry', `${dropped.length}`);
  return address.href;
}

/** Takes a tag off the page that is of no use. */
export function drop(tag: HTMLScriptElement): void {
  tag.remove();
  registry().dropped.push(tag);
}

/** How a script is fetched, also ahead of time: else it is fetched twice. */
export interface Fetched {
  nonce?: string | undefined;
  crossOrigin?: string | null | undefined;
}

/** Puts a tag on the page. Throws `csp_blocked` where Trusted Types are enforced without our policy. */
export function inject(
  url: string,
  environment: Environment,
  { nonce = pageNonce(), crossOrigin = null }: Fetched,
): HTMLScriptElement {
  const tag = document.createElement('script');
  const { scripts, dropped } = registry();
  const identity = identityOf(url);
  try {
    tag.src = trusted(addressOf(url));
  } catch {
    throw blocked('embedded-sessions to trusted-types');
  }
  // What the merchant's own tag asked of the script holds for the one that replaces it.
  const { integrity = '', crossOrigin: asked = crossOrigin } =
    dropped.find((each) => each.integrity && identityOf(each.src) === identity) ?? {};
  Object.assign(tag, { nonce, integrity, crossOrigin: asked });
  scripts.set(identity, environment);
  // By its own error alone, not when a load gives up on it: a late script still runs.
  tag.addEventListener('error', () => scripts.delete(identity));
  document.head.append(tag);
  return tag;
}

const ended = (tag: HTMLScriptElement) =>
  new Promise<Event>((resolve) => {
    tag.addEventListener('load', resolve);
    tag.addEventListener('error', resolve);
  });

/** How the tag ended: undefined when it has run. */
export async function outcomeOf(tag: HTMLScriptElement): Promise<LoaderError | undefined> {
  const { origin } = new URL(tag.src);
  let directive = '';
  const onViolation = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent) => {
    if (disposition !== 'report' && blockedURI && tag.src.startsWith(blockedURI))
      directive = effectiveDirective;
  };
  document.addEventListener('securitypolicyviolation', onViolation);
  const { type } = await ended(tag);
  // The violation is a task of its own, which may come after the error.
  if (type === 'error') await pause(0);
  document.removeEventListener('securitypolicyviolation', onViolation);
  if (type === 'load') return undefined;
  if (directive) return blocked(`${origin} or a nonce to ${directive} or its fallback`);
  return navigator.onLine
    ? new LoaderError('network_error', `No SDK from ${origin}: down, or blocked by an extension?`)
    : new LoaderError('offline', 'Offline: try again.');
}

/** How long after its script the SDK's global may come. */
const GLOBAL_MS = 2_000;

/** Resolves when something is there, or after the time in which it is expected. */
export async function settled(isThere: () => unknown): Promise<void> {
  for (let waited = 0; waited < GLOBAL_MS && !isThere(); waited += LOOK_MS) await pause(LOOK_MS);
}

/**
 * Resolves when the SDK is there by a tag that somebody else put on the page, or that has failed. It may have failed
 * long ago, which no event tells: then its fetch is on record. Where a browser keeps no record, the patience ends it.
 */
export async function foreignEnd(
  tag: HTMLScriptElement,
  patienceMs: number,
  isThere: () => unknown,
): Promise<void> {
  let end = '';
  void ended(tag).then(({ type }) => (end = type));
  for (let waited = 0; !end && waited < patienceMs && !isThere(); await pause(LOOK_MS)) {
    const isFetched = performance
      .getEntriesByName(tag.src)
      .some((entry) => (entry as PerformanceResourceTiming).initiatorType === 'script');
    // One that is deferred runs when the page has been read and the scripts before it have run.
    if (!isFetched) waited += LOOK_MS;
    else if (hasRunDeferred()) end = 'load';
  }
  if (end === 'load') await settled(isThere);
}

const hasRunDeferred = () =>
  performance
    .getEntriesByType('navigation')
    .every((entry) => (entry as PerformanceNavigationTiming).domContentLoadedEventStart > 0);

const preloadOf = (url: string) => document.querySelector(`link[rel=preload][href^="${identityOf(url)}"]`);

/** Fetches the script ahead of time; nothing is executed. */
export function preloadScript(url: string, { nonce = pageNonce(), crossOrigin = null }: Fetched): void {
  // What has been fetched already would lie unused.
  if (preloadOf(url) || tagOf(identityOf(url))) return;
  link({ rel: 'preload', as: 'script', href: addressOf(url), nonce, crossOrigin });
}

const link = (attributes: Partial<HTMLLinkElement>) =>
  document.head.append(Object.assign(document.createElement('link'), attributes));

/** Connects ahead of time to where the sessions live. */
export function preconnect(origins: Iterable<string>): void {
  for (const href of origins)
    if (!document.querySelector(`link[rel=preconnect][href="${href}"]`)) link({ rel: 'preconnect', href });
}

/** After a failure: a link that stays would keep a later preload from fetching. */
export const removePreload = (url: string): void => preloadOf(url)?.remove();
