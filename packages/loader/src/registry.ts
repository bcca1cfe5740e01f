// What all copies of this package on one page share.
import type { Line } from './attribution.js';
import type { Environment } from './environment.js';
import type { LoaderEvent } from './options.js';

/** The values that two loads on one page must agree on. */
export interface Claim {
  environment: Environment;
  loaderUrl: string;
  sessionPrefixes: string;
  globalName: string;
}

/** The load in flight or done. */
export interface Load {
  claim: Claim;
  /** Wrapped: an SDK with an answer for every name would be taken for a promise. */
  chain: Promise<{ sdk: object }>;
  listeners: Set<((event: LoaderEvent) => void) | undefined>;
}

/** A flow on the page: what the next one must not meet. */
export interface OpenFlow {
  container: Element | undefined;
  concurrent?: boolean | undefined;
  /** It was told to close, or its caller has been told how it ended; it may be on the page still. */
  isOver?: boolean;
  /** Asks it to close and settles it. */
  interrupt: () => void;
}

export interface Registry {
  /** A failed one is forgotten. */
  load?: Load | undefined;
  /** Loader scripts of ours that may still run or have run, by identity: their tags may be gone. */
  scripts: Map<string, Environment>;
  flows: Set<OpenFlow>;
  /** What SDKs may still say, by SDK. */
  lines: WeakMap<object, Line>;
  /** Tags taken off the page for what they did or did not do. */
  dropped: HTMLScriptElement[];
  policy?: TrustedScripts | undefined;
}

interface TrustedScripts {
  createScriptURL(url: string): unknown;
}

/** What the compiler's DOM library does not know yet. */
export interface TrustedTypesWindow {
  trustedTypes?: { createPolicy(name: string, rules: TrustedScripts): TrustedScripts };
}

/**
 * Copies of several versions may be on one page. Those that share a registry must read all of it alike: whoever changes
 * what stands in {@link Registry} counts this up, and each of the two has one of its own.
 */
export const REGISTRY: unique symbol = Symbol.for('embedded-sessions.loader.2');

export function registry(): Registry {
  const page = globalThis as { [REGISTRY]?: Registry };
  if (page[REGISTRY]) return page[REGISTRY];
  const flows = new Set<OpenFlow>();
  // Out of the back-forward cache: what was open has been away and may be over.
  addEventListener('pageshow', ({ persisted }) => persisted && flows.forEach((flow) => flow.interrupt()));
  return (page[REGISTRY] = { scripts: new Map(), flows, lines: new WeakMap(), dropped: [] });
}

/** Calls a listener of the merchant's; what it throws is theirs and shows up as such, but stops nothing of ours. */
export function tell<T>(listener: ((event: T) => void) | undefined, event: T): void {
  try {
    listener?.(event);
  } catch (error) {
    reportError(error);
  }
}

/** A page that its browser renders ahead of a visit loads and opens nothing: resolves when it is visited. */
export const visit = async (): Promise<void> => {
  if ((document as { prerendering?: boolean }).prerendering)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Between two looks at what no event tells of. */
export const LOOK_MS = 100;
