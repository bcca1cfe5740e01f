// The only file that touches <script>.
import { LOADER_PATH, type Environment, type Place } from './environment.js';
import { LoaderError } from './error.js';
import { registry, type TrustedTypesWindow } from './registry.js';

/** A script's identity: its address without query and fragment, which a retry or a CDN may vary. */
export const identityOf = (address: string): string => address.replace(/[?#].*/, '');

/** Loader scripts on the page, of any environment, whoever put them there. */
const loaderTags = (): HTMLScriptElement[] =>
  [...document.scripts].filter(({ src }) => identityOf(src).endsWith(LOADER_PATH));

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
  const found = find(url);
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

/** Puts a tag on the page. Throws `csp_blocked` where Trusted Types are enforced without our policy. */
export function inject(
  url: string,
  environment: Environment,
  nonce: string = pageNonce(),
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
  const { integrity = '', crossOrigin = null } =
    dropped.find((each) => each.integrity && identityOf(each.src) === identity) ?? {};
  Object.assign(tag, { nonce, integrity, crossOrigin });
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

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
  if (directive) return blocked(`${origin} or a nonce to ${directive}`);
  return navigator.onLine
    ? new LoaderError('network_error', `No SDK from ${origin}: down, or blocked by an extension?`)
    : new LoaderError('offline', 'Offline: try again.');
}

const POLL_MS = 200;

/**
 * Resolves when a tag that somebody else put on the page has run or failed. It may have failed long ago, which no
 * event tells: then its fetch is on record. Where a browser keeps no record, the patience ends it.
 */
export function foreignEnd(tag: HTMLScriptElement, patienceMs: number): Promise<unknown> {
  const unheard = async () => {
    for (let waited = 0, fetched = false; !fetched && waited < patienceMs; waited += POLL_MS) {
      // A deferred one runs after parsing, and any has a moment between its fetch and its run: hence the pause after.
      fetched =
        document.readyState !== 'loading' &&
        performance
          .getEntriesByName(tag.src)
          .some((entry) => (entry as PerformanceResourceTiming).initiatorType === 'script');
      await pause(POLL_MS);
    }
  };
  return Promise.race([ended(tag), unheard()]);
}

const preloadOf = (url: string) => document.querySelector(`link[rel=preload][href^="${identityOf(url)}"]`);

/** Fetches the script ahead of time; nothing is executed. */
export function preloadScript(url: string, nonce: string = pageNonce()): void {
  // What has been fetched already would lie unused.
  if (preloadOf(url) || tagOf(identityOf(url))) return;
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'preload', as: 'script', href: addressOf(url), nonce }));
}

/** After a failure: a link that stays would keep a later preload from fetching. */
export const removePreload = (url: string): void => preloadOf(url)?.remove();
