// State shared by all copies of this package on a page.
import type { Environment } from './environment.js';
import type { EventRouter } from './event-router.js';
import type { LoaderEvent } from './options.js';
import type { OpenFlow } from './page-flows.js';

/** Values that must be the same for all loads on a page. */
export interface Claim {
  environment: Environment;
  loaderUrl: string;
  sessionPrefixes: string;
  globalName: string;
}

export interface Load {
  claim: Claim;
  /** Wraps the SDK in an object, because an SDK that is a proxy could look like a promise. */
  chain: Promise<{ sdk: object }>;
  listeners: Set<((event: LoaderEvent) => void) | undefined>;
}

export interface Registry {
  /** Undefined after a failure. */
  load?: Load | undefined;
  /** Our loader scripts that have run or may still run, by identity. Their tags may be gone. */
  scripts: Map<string, Environment>;
  flows: Set<OpenFlow>;
  /** Event routers of SDKs that do not declare a protocol. */
  routers?: WeakMap<object, EventRouter> | undefined;
  /** Tags that were removed from the page because they failed. */
  dropped: HTMLScriptElement[];
  policy?: TrustedScripts | undefined;
  /** The only address that the policy accepts. */
  wanted?: string | undefined;
}

interface TrustedScripts {
  createScriptURL(url: string): unknown;
}

/** Missing in TypeScript's DOM library. */
export interface TrustedTypesWindow {
  trustedTypes?: { createPolicy(name: string, rules: TrustedScripts): TrustedScripts };
}

/**
 * A page may contain several versions of this package. Increment the number when {@link Registry} changes: copies with
 * different numbers have separate registries.
 */
export const REGISTRY: unique symbol = Symbol.for('embedded-sessions.loader.3');

export function registry(): Registry {
  const page = globalThis as { [REGISTRY]?: Registry };
  return (page[REGISTRY] ??= { scripts: new Map(), flows: new Set(), dropped: [] });
}
