import {
  identityOf,
  incomplete,
  ownProperties,
  readEnvironments,
  type EnvironmentMap,
} from './environment.js';
import { invalid, LoaderError, mismatch } from './error.js';
import type { LoaderOptions } from './options.js';
import { registry, type Claim } from './registry.js';
import { otherLoader, tagOf } from './script.js';

/** The validated options of a loader, and the SDK that they identify. */
export interface Target {
  claim: Claim;
  environments: EnvironmentMap;
  /** The loader URL without query and fragment. */
  identity: string;
  timeoutMs: number;
  retries: number;
  options: Partial<LoaderOptions>;
}

/** setTimeout fires immediately for such delays. */
const TOO_LONG_MS = 2 ** 31;

/** Validates the options of a loader. Throws `invalid_options` or `environment_mismatch`. */
export function targetOf(input: LoaderOptions): Target {
  const options = ownProperties(input);
  const { timeoutMs = 20_000, retries = 2 } = options;
  const environments = readEnvironments(options);
  const { environment, loaderUrl } = environments;
  if (!environment || !loaderUrl) throw incomplete(environment);
  if (!(timeoutMs > 0 && timeoutMs < TOO_LONG_MS && retries >= 0))
    throw invalid('timeoutMs or retries is out of range.');

  const { staging, production } = ownProperties(options.sessionPrefixes);
  const claim = {
    environment,
    loaderUrl: loaderUrl.href,
    sessionPrefixes: JSON.stringify([staging, production]),
    globalName: options.globalName || 'Service',
  };
  return { claim, environments, identity: identityOf(claim.loaderUrl), timeoutMs, retries, options };
}

/** Throws `environment_mismatch` or `options_conflict` if an earlier load on this page had other options. */
export function agree({ claim }: Target, earlier: Claim): void {
  for (const field of Object.keys(claim) as (keyof Claim)[]) {
    if (earlier[field] === claim[field]) continue;
    if (field === 'environment') throw mismatch(claim.environment, earlier[field], 'the SDK here');
    throw new LoaderError('options_conflict', `An earlier loader has another ${field}: use the same.`, {
      field,
    });
  }
}

/** Throws `environment_mismatch` if another environment's loader is on the page, loading or loaded. */
export function refuseOtherLoaders({ claim, environments, identity }: Target): void {
  const other = otherLoader(identity, claim.environment, environments);
  if (other) throw mismatch(claim.environment, other, 'another loader here');
}

/** Whether the loader's script is on the page, or was added by us. Otherwise the SDK may be of another operator. */
export const isOurs = ({ identity }: Target): unknown => tagOf(identity) ?? registry().scripts.has(identity);

/** Returns the SDK if it is on the page. Throws unless it is proven to be of our environment. */
export function findSdk(target: Target): { sdk: object } | undefined {
  refuseOtherLoaders(target);
  const { environment, globalName } = target.claim;
  const name = `window.${globalName}`;
  let sdk: { environment?: unknown } | undefined;
  let found: unknown;
  try {
    // An element with id="Service" is also a property of window, but not an own property.
    if (Object.hasOwn(globalThis, globalName)) sdk = (globalThis as never)[globalName];
    found = sdk?.environment;
  } catch (error) {
    throw new LoaderError('service_missing', `${name} throws when it is read.`, {}, error);
  }
  if (!sdk) return undefined;

  if (typeof found !== 'string') found = isOurs(target) ? environment : 'unknown';
  const owner = found === 'unknown' ? ' (of another script?)' : '';
  if (found !== environment) throw mismatch(environment, found as string, name + owner);
  return { sdk };
}
