// What all copies of this package on one page share.
import type { Environment } from './environment.js';
import type { OpenFlow } from './flow.js';
import type { Claim, LoaderEvent } from './load.js';

export interface Registry {
  /** The load in flight or done; a failed one is forgotten. */
  load?:
    | { claim: Claim; chain: Promise<object>; listeners: Set<((event: LoaderEvent) => void) | undefined> }
    | undefined;
  /** Loader scripts of ours that may still run or have run, by identity: their tags may be gone. */
  scripts: Map<string, Environment>;
  flows: Set<OpenFlow>;
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

const KEY = Symbol.for('embedded-sessions.loader');

export function registry(): Registry {
  const page = globalThis as { [KEY]?: Registry };
  if (page[KEY]) return page[KEY];
  const flows = new Set<OpenFlow>();
  // Out of the back-forward cache: what was open has been away and may be over.
  addEventListener('pageshow', ({ persisted }) => persisted && flows.forEach((flow) => flow.interrupt()));
  return (page[KEY] = { scripts: new Map(), flows, dropped: [] });
}

/** Calls a listener of the merchant's; what it throws is theirs and shows up as such, but stops nothing of ours. */
export function tell<T>(listener: ((event: T) => void) | undefined, event: T): void {
  try {
    listener?.(event);
  } catch (error) {
    reportError(error);
  }
}
