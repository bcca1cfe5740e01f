// What all copies of this package on one page share.
import type { Environment } from './environment.js';
import type { OpenFlow } from './flow.js';
import type { Claim, LoaderEvent } from './load.js';

export interface Registry {
  /** The load in flight or done; a failed one is forgotten. */
  load?: { claim: Claim; chain: Promise<object>; listeners: Set<(event: LoaderEvent) => void> } | undefined;
  /** Loader scripts of ours that may still run or have run, by identity: their tags may be gone. */
  scripts: Map<string, Environment>;
  flows: Set<OpenFlow>;
  policy?: { createScriptURL(url: string): unknown } | undefined;
}

const KEY = Symbol.for('embedded-sessions.loader');

export const registry = (): Registry =>
  ((globalThis as { [KEY]?: Registry })[KEY] ??= { scripts: new Map(), flows: new Set() });

/** Calls a listener of the merchant's; what it throws is theirs and shows up as such, but stops nothing of ours. */
export function tell<T>(listener: ((event: T) => void) | undefined, event: T): void {
  try {
    listener?.(event);
  } catch (error) {
    reportError(error);
  }
}
