// The only file that touches <script>.
import { identityOf, LOADER_PATH, type Environment } from './environment.js';
import { LoaderError } from './error.js';
import { registry, type Registry } from './registry.js';

/** Loader scripts on the page, of any environment, whoever put them there. */
const loaderTags = (): { tag: HTMLScriptElement; url: URL; identity: string }[] =>
  [...document.querySelectorAll<HTMLScriptElement>('script[src]')]
    // Not the ones that a consent manager holds back by their type.
    .filter((tag) => tag.src.includes(LOADER_PATH) && /^$|javascript|module/.test(tag.type))
    .map((tag) => ({ tag, url: new URL(tag.src) }))
    .filter(({ url }) => url.pathname.endsWith(LOADER_PATH))
    .map((found) => ({ ...found, identity: identityOf(found.url) }));

export const tagOf = (identity: string): HTMLScriptElement | undefined =>
  loaderTags().find((found) => found.identity === identity)?.tag;

/** Another environment's loader on this page: its name or, where that is not known, its origin. */
export function otherLoader(identity: string, known: ReadonlyMap<string, Environment>): string | undefined {
  for (const [other, environment] of registry().scripts) if (other !== identity) return environment;
  const other = loaderTags().find((found) => found.identity !== identity);
  return other && (known.get(other.identity) ?? other.url.origin);
}

const blocked = (by: string, cause?: unknown) =>
  new LoaderError('csp_blocked', `The page's Content-Security-Policy blocks the SDK: ${by}.`, {}, cause);

/** The address as the page wants it: through our policy where it enforces Trusted Types. */
function trusted(url: string): string {
  const page = registry();
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: NonNullable<Registry['policy']>): Registry['policy'] };
  };
  try {
    page.policy ??= trustedTypes?.createPolicy('embedded-sessions', {
      createScriptURL(candidate) {
        if (new URL(candidate).pathname.endsWith(LOADER_PATH)) return candidate;
        throw new TypeError('Not a loader URL.');
      },
    });
  } catch {
    // A page may forbid the policy and still take plain strings; if it does not, setting `src` throws.
  }
  return (page.policy?.createScriptURL(url) ?? url) as string;
}

const pageNonce = (): string => document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? '';

/** Puts a tag on the page. Throws `csp_blocked` where Trusted Types are enforced without our policy. */
export function inject(url: string, environment: Environment, nonce: string | undefined): HTMLScriptElement {
  const tag = document.createElement('script');
  try {
    tag.src = trusted(url);
  } catch (error) {
    throw blocked('add "embedded-sessions" to its trusted-types', error);
  }
  tag.async = true;
  tag.nonce = nonce ?? pageNonce();
  const { scripts } = registry();
  const identity = identityOf(new URL(url));
  scripts.set(identity, environment);
  // By its own error alone, not when a load gives up on it: a late script still runs.
  tag.addEventListener('error', () => scripts.delete(identity));
  document.head.append(tag);
  return tag;
}

/** Settles with the tag: resolves when it ran, rejects with why it did not. */
export function outcomeOf(tag: HTMLScriptElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const { origin } = new URL(tag.src);
    let violated = '';
    const onViolation = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent) => {
      if (disposition !== 'report' && blockedURI && tag.src.startsWith(blockedURI))
        violated = effectiveDirective;
    };
    const end = (settle: () => void) => {
      document.removeEventListener('securitypolicyviolation', onViolation);
      settle();
    };
    document.addEventListener('securitypolicyviolation', onViolation);
    tag.addEventListener('load', () => end(resolve));
    tag.addEventListener('error', () =>
      // The violation is a task of its own, which may come after the error.
      setTimeout(() =>
        end(() =>
          reject(
            violated
              ? blocked(`add ${origin} to its ${violated}, or a nonce to the page's scripts`)
              : navigator.onLine
                ? new LoaderError(
                    'network_error',
                    `The SDK at ${origin} could not be fetched. It may be down, or blocked by an extension.`,
                  )
                : new LoaderError('offline', 'The browser is offline. Try again when it has a connection.'),
          ),
        ),
      ),
    );
  });
}

const POLL_MS = 200;

/**
 * Resolves when a tag that somebody else put on the page has run or failed. It may have failed long ago, which no
 * event tells: then its fetch is on record. Where a browser keeps no record, the patience ends it.
 */
export function foreignEnd(tag: HTMLScriptElement, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const until = performance.now() + patienceMs;
    let fetched = false;
    const end = () => {
      clearInterval(poll);
      resolve();
    };
    const poll = setInterval(() => {
      // Seen at two polls: a script has a moment between its fetch and its run, and a deferred one waits for the parser.
      const before = fetched;
      fetched =
        document.readyState !== 'loading' &&
        performance
          .getEntriesByName(tag.src)
          .some((entry) => (entry as PerformanceResourceTiming).initiatorType === 'script');
      if ((before && fetched) || performance.now() > until) end();
    }, POLL_MS);
    tag.addEventListener('load', end);
    tag.addEventListener('error', end);
  });
}

const preloads = (url: string): HTMLLinkElement[] =>
  [...document.querySelectorAll<HTMLLinkElement>('link[rel=preload]')].filter((link) => link.href === url);

/** Fetches the script ahead of time; nothing is executed. */
export function preloadScript(url: string, nonce: string | undefined): void {
  if (tagOf(identityOf(new URL(url))) || preloads(url)[0]) return;
  const link = document.createElement('link');
  link.rel = 'preload';
  link.as = 'script';
  link.href = url;
  link.nonce = nonce ?? pageNonce();
  document.head.append(link);
}

/** After a failure: a link that stays would keep a later preload from fetching. */
export const removePreload = (url: string): void => preloads(url).forEach((link) => link.remove());
