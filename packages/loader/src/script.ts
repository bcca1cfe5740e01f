// The only file that touches <script>.
import { attempt } from './attempt.js';
import {
  findEnvironment,
  identityOf,
  LOADER_PATH,
  originOf,
  parse,
  type Environment,
  type EnvironmentMap,
} from './environment.js';
import { LoaderError } from './error.js';
import type { LoaderSettings } from './options.js';
import { registry, type TrustedTypesWindow } from './registry.js';
import { pause, POLL_MS, until } from './timing.js';

/** Script types that browsers execute. Consent managers disable scripts by setting another type. */
const EXECUTABLE = /^(module|\w+\/(x-)?(java|ecma)script[\d.]*)?$/i;

/** Loader scripts on the page, of any environment and origin. */
const loaderTags = (): HTMLScriptElement[] =>
  [...document.scripts].filter(
    ({ src, type, noModule }) =>
      identityOf(src).endsWith(LOADER_PATH) && parse(src) && EXECUTABLE.test(type) && !noModule,
  );

export const tagOf = (identity: string): HTMLScriptElement | undefined =>
  loaderTags().find(({ src }) => identityOf(src) === identity);

/**
 * Finds another loader that is on the page, or that we added and may have run. Returns its environment, or its origin if
 * unknown.
 */
export function otherLoader(
  identity: string,
  environment: Environment,
  environments: EnvironmentMap,
): string | undefined {
  for (const other of registry().scripts.values()) if (other !== environment) return other;

  const other = loaderTags().find(({ src }) => identityOf(src) !== identity);
  if (!other) return undefined;

  const [found] = findEnvironment(environments, new URL(other.src));
  // Another loader below our own base has the same environment, so return its origin.
  return found && found !== environment ? found : originOf(other.src);
}

const blocked = (fix: string) =>
  new LoaderError('csp_blocked', `The page's Content-Security-Policy blocks the SDK: add ${fix}.`);

/** Passes an address through our policy, for pages that enforce Trusted Types. */
function trusted(url: string): string {
  const page = registry();
  // Other scripts can use the policy, so it accepts only the address that we are about to load.
  page.wanted = url;
  try {
    page.policy ??= (globalThis as unknown as TrustedTypesWindow).trustedTypes?.createPolicy(
      'embedded-sessions',
      { createScriptURL: (address) => (address === page.wanted ? address : '') },
    );
  } catch {
    // The page forbids the policy, but may accept strings. Otherwise setting `src` throws.
  }
  return (page.policy?.createScriptURL(url) ?? url) as string;
}

const pageNonce = () => document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? '';

/** Adds a query after a failure, because a cache may contain the failure and browsers may reuse a hanging request. */
function addressOf(url: string): string {
  const address = new URL(url);
  const { dropped } = registry();
  if (dropped[0]) address.searchParams.set('retry', `${dropped.length}`);
  return address.href;
}

export function drop(tag: HTMLScriptElement): void {
  // Avoids `remove()`: Prototype.js replaces it with a function that throws if the element is not in the page.
  tag.parentNode?.removeChild(tag);
  registry().dropped.push(tag);
}

/** Adds a tag to the page. Throws `csp_blocked` if Trusted Types are enforced without our policy. */
export function inject(
  url: string,
  environment: Environment,
  { nonce = pageNonce(), crossOrigin }: Pick<LoaderSettings, 'nonce' | 'crossOrigin'>,
): HTMLScriptElement {
  const tag = document.createElement('script');
  const { scripts, dropped } = registry();
  const identity = identityOf(url);

  try {
    tag.src = trusted(addressOf(url));
  } catch {
    throw blocked('embedded-sessions to trusted-types');
  }

  // Keep the `integrity` and `crossorigin` of the merchant's tag that this one replaces.
  const replaced = dropped.find((each) => identityOf(each.src) === identity);
  const { integrity = '', crossOrigin: required = crossOrigin ?? null } = replaced ?? {};
  Object.assign(tag, { nonce, integrity, crossOrigin: required });

  scripts.set(identity, environment);
  // Only an error proves that the script won't run. After a timeout, it still may.
  tag.addEventListener('error', () => scripts.delete(identity));
  document.head.append(tag);
  if (!EXECUTABLE.test(tag.type))
    throw new LoaderError('network_error', `A consent manager blocks ${originOf(url)}: allow it.`);
  return tag;
}

const ended = (tag: HTMLScriptElement) =>
  new Promise<Event>((resolve) => {
    tag.addEventListener('load', resolve);
    tag.addEventListener('error', resolve);
  });

/** Waits for the tag. Resolves with its failure, or with undefined once it has run. */
export async function outcomeOf(tag: HTMLScriptElement): Promise<LoaderError | undefined> {
  const origin = originOf(tag.src);
  let directive = '';
  const onViolation = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent) => {
    if (disposition !== 'report' && blockedURI && tag.src.startsWith(blockedURI))
      directive = effectiveDirective;
  };

  document.addEventListener('securitypolicyviolation', onViolation);
  const { type } = await ended(tag);
  // The violation may be reported after the error.
  if (type === 'error') await pause(0);
  document.removeEventListener('securitypolicyviolation', onViolation);

  if (type === 'load') return undefined;
  if (directive) return blocked(`${origin} or a nonce to ${directive} or its fallback`);
  return navigator.onLine
    ? new LoaderError('network_error', `No SDK from ${origin}: is it down or blocked?`)
    : new LoaderError('offline', 'Offline: try again.');
}

const GLOBAL_MS = 2_000;

/** Waits for the SDK's global after its script has run. */
export const untilGlobal = (isFound: () => boolean): Promise<void> => until(isFound, GLOBAL_MS);

/**
 * Waits for a tag that the page added. If the tag ended before we listened, Resource Timing has an entry for its request.
 * Without an entry, waits for `deadlineMs`.
 */
export async function untilForeignTagEnds(
  tag: HTMLScriptElement,
  deadlineMs: number,
  isFound: () => boolean,
): Promise<void> {
  let outcome = '';
  void ended(tag).then(({ type }) => (outcome = type));

  for (let waited = 0; !outcome && waited < deadlineMs && !isFound(); await pause(POLL_MS)) {
    if (!isFetched(tag.src)) waited += POLL_MS;
    else if (haveDeferredRun()) outcome = 'load';
  }
  if (outcome === 'load') await untilGlobal(isFound);
}

/** Returns undefined if the page has its own variable named `performance`. */
const isFetched = (url: string) =>
  attempt(() =>
    performance
      .getEntriesByName(url)
      .some((entry) => (entry as PerformanceResourceTiming).initiatorType === 'script'),
  );

/** Whether deferred scripts have run. Doesn't wait for the load event, which a hanging image delays. */
const haveDeferredRun = () =>
  performance
    .getEntriesByType('navigation')
    .every((entry) => (entry as PerformanceNavigationTiming).domContentLoadedEventStart);

/**
 * Fetches the script early without executing it. Uses the credentials mode of the later tag, because Firefox would fetch
 * it again otherwise. Uses `prefetch`, because an unused `preload` logs a warning.
 */
export function prefetch(
  url: string,
  { crossOrigin = null }: { crossOrigin?: LoaderSettings['crossOrigin'] | null },
): void {
  const href = addressOf(url);
  if (!tagOf(identityOf(url)) && !document.querySelector(`link[href="${href}"]`))
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'prefetch', href, crossOrigin }),
    );
}
