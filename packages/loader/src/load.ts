import {
  identityOf,
  invalid,
  mismatch,
  own,
  placeOf,
  sessionUrlOf,
  type Environment,
  type EnvironmentOptions,
  type Place,
} from './environment.js';
import { aborted, LoaderError, quiet, type LoaderErrorCode } from './error.js';
import { embed, type EmbeddedService } from './flow.js';
import { registry, tell } from './registry.js';
import { foreignEnd, inject, otherLoader, outcomeOf, preloadScript, removePreload, tagOf } from './script.js';
import { contractAdapter, type ServiceAdapter } from './sdk.js';

/** What a loader needs to know. Going live changes values here and nothing else. No API key fits in. */
export interface LoaderOptions extends EnvironmentOptions {
  /** Name of the SDK's global. Default `Service`. */
  globalName?: string;
  /** For an operator's SDK that differs from the contract's. */
  adapter?: ServiceAdapter;
  /** CSP nonce for the script. Default: that of the page's own scripts. */
  nonce?: string;
  /** Milliseconds for the whole load, all attempts together. Default 20,000. */
  timeoutMs?: number;
  /** Attempts after the first. Default 2; 0 means 0. */
  retries?: number;
  /** Told of every attempt and how it ended; the only telemetry. */
  onEvent?: (event: LoaderEvent) => void;
}

/** One step of a load. `ms`: milliseconds since the load began. */
export interface LoaderEvent {
  type: 'attempt' | 'ready' | 'failed';
  /** 1 for the first; 0 when the SDK was on the page already. */
  attempt: number;
  ms: number;
  /** Of a `failed` load: the code it rejects with. */
  code?: LoaderErrorCode;
}

/** Loads the SDK of one environment, once per page. */
export interface Loader {
  readonly environment: Environment;
  readonly state: 'idle' | 'loading' | 'ready' | 'failed';
  /**
   * Loads the SDK. Concurrent calls share one chain of attempts; a failure is forgotten, so a later call tries anew.
   * An aborted `signal` detaches its own caller only. Rejects with a {@link LoaderError}, `not_in_browser` on a server.
   *
   * @example
   * const service = await loader.load();
   */
  load(options?: { signal?: AbortSignal }): Promise<EmbeddedService>;
  /** Fetches the script ahead of time and executes nothing. Does nothing on a server. */
  preload(): void;
}

/** The values that two loads on one page must agree on. */
export interface Claim {
  environment: Environment;
  loaderUrl: string;
  sessionPrefixes: string;
  globalName: string;
}

interface Settings {
  place: Place & { environment: Environment };
  url: string;
  identity: string;
  claim: Claim;
  nonce: string | undefined;
  timeoutMs: number;
  retries: number;
}

function settingsOf(options: Partial<LoaderOptions>): Settings {
  const { globalName = 'Service', nonce, timeoutMs = 20_000, retries = 2 } = options;
  const place = placeOf(options);
  const { environment, loaderUrl } = place;
  const of = own(options.sessionPrefixes);
  if (!environment || !loaderUrl)
    throw invalid('Give environment with loaderUrl or loaderUrls, or a loaderUrl that is one of loaderUrls.');
  // setTimeout takes 31 bits and fires at once beyond them.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw invalid('timeoutMs must be between 1 and 2,147,483,647 milliseconds.');
  if (!(retries >= 0)) throw invalid('retries must be 0 or more.');
  return {
    place: { ...place, environment },
    url: loaderUrl.href,
    identity: identityOf(loaderUrl),
    claim: {
      environment,
      loaderUrl: loaderUrl.href,
      sessionPrefixes: JSON.stringify([of.staging ?? [], of.production ?? []]),
      globalName,
    },
    nonce,
    timeoutMs,
    retries,
  };
}

/** Refuses a page that has another environment's loader on it, run or in flight. */
function refuseOthers({ identity, place }: Settings): void {
  const other = otherLoader(identity, place.scripts);
  if (other) throw mismatch(place.environment, other, 'another loader script on this page');
}

/** The SDK's global, if it is there and all says that it is of our environment. */
function findService(settings: Settings): object | undefined {
  const { identity, place, claim } = settings;
  refuseOthers(settings);
  // An element with id="Service" is a property of window too, but not its own.
  const service = Object.hasOwn(globalThis, claim.globalName)
    ? (globalThis as unknown as Record<string, { environment?: unknown } | undefined>)[claim.globalName]
    : undefined;
  if (!service) return undefined;
  const reported = typeof service.environment === 'string' ? service.environment : undefined;
  const known = reported !== undefined || tagOf(identity) || registry().scripts.has(identity);
  if (!known || (reported ?? place.environment) !== place.environment)
    throw mismatch(place.environment, reported ?? 'unknown', `window.${claim.globalName}`);
  return service;
}

type Emit = (type: LoaderEvent['type'], attempt: number, code?: LoaderErrorCode) => void;

/** One chain of attempts under one deadline. */
async function runChain(settings: Settings, emit: Emit): Promise<object> {
  const { url, identity, place, claim, nonce, timeoutMs, retries } = settings;
  const { origin } = new URL(url);
  let tag: HTMLScriptElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let over = false;
  let last: unknown;

  const attempts = async (): Promise<object> => {
    const foreign = tagOf(identity);
    let service = findService(settings);
    if (!service && foreign) {
      await foreignEnd(foreign, timeoutMs / 4);
      service = findService(settings);
    }
    if (service) return service;
    if (!over) foreign?.remove();
    for (;;) {
      if (over) throw last;
      emit('attempt', ++attempt);
      const address = new URL(url);
      if (attempt > 1) address.searchParams.set('retry', `${attempt - 1}`);
      try {
        tag = inject(address.href, place.environment, nonce);
        await outcomeOf(tag);
        service = findService(settings);
        if (service) return service;
        throw new LoaderError(
          'service_missing',
          `The script at ${origin} ran but defined no window.${claim.globalName}. Check loaderUrl and globalName.`,
        );
      } catch (error) {
        tag?.remove();
        last = error;
        if (!(error as LoaderError).retryable || attempt > retries) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 100 * (1 + Math.random())));
    }
  };

  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over = true;
      reject(
        new LoaderError(
          'timeout',
          `The SDK at ${origin} did not load in ${timeoutMs} ms. Try again.`,
          { attempt },
          last,
        ),
      );
    }, timeoutMs);
  });

  try {
    const service = await Promise.race([attempts(), deadline]);
    emit('ready', attempt);
    return service;
  } catch (error) {
    tag?.remove();
    removePreload(url);
    emit('failed', attempt, (error as LoaderError).code);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Joins the page's load, or starts it. Throws where this call disagrees with an earlier one. */
function joinLoad(settings: Settings, onEvent: LoaderOptions['onEvent']): Promise<object> {
  const page = registry();
  const { claim } = settings;
  refuseOthers(settings);
  if (page.load) {
    const earlier = page.load.claim;
    if (earlier.environment !== claim.environment)
      throw mismatch(claim.environment, earlier.environment, "the page's SDK");
    const field = (Object.keys(claim) as (keyof Claim)[]).find((key) => earlier[key] !== claim[key]);
    if (field)
      throw new LoaderError(
        'options_conflict',
        `An earlier load on this page has another ${field}. Give every loader on a page the same.`,
        { field },
      );
    if (onEvent) page.load.listeners.add(onEvent);
    return page.load.chain;
  }
  const started = performance.now();
  const listeners = new Set(onEvent && [onEvent]);
  const emit: Emit = (type, attempt, code) => {
    if (type === 'failed') page.load = undefined;
    const event = { type, attempt, ms: Math.round(performance.now() - started), ...(code && { code }) };
    for (const listener of listeners) tell(listener, event);
  };
  const chain = Promise.resolve().then(() => runChain(settings, emit));
  page.load = { claim, chain, listeners };
  return chain;
}

/** Follows a promise until a signal detaches from it. */
function until<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(aborted(signal));
    signal?.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}

/**
 * Describes the SDK of one environment; does nothing until asked, on a server never. Throws `invalid_options` and,
 * where the options name both environments, `environment_mismatch`.
 *
 * @example
 * const loader = createLoader({
 *   environment: 'staging',
 *   loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
 * });
 * payButton.addEventListener('click', async () => {
 *   const { sessionUrl } = await (await fetch('/pay', { method: 'POST' })).json();
 *   const service = await loader.load();
 *   const result = await service.completePayment(sessionUrl);
 * });
 */
export function createLoader(input: LoaderOptions): Loader {
  const options = own(input);
  const { adapter = contractAdapter, onEvent } = options;
  const settings = settingsOf(options);
  const { place } = settings;
  let state: Loader['state'] = 'idle';

  const embedded = (service: object) =>
    embed(place.environment, service, adapter, registry().flows, (session) => {
      refuseOthers(settings);
      return sessionUrlOf(session, place);
    });

  return {
    environment: place.environment,
    get state() {
      return state;
    },
    load: (input) =>
      quiet(async () => {
        const { signal } = own(input);
        if (typeof document === 'undefined')
          throw new LoaderError('not_in_browser', 'There is no page here: call load() in the browser.');
        if (signal?.aborted) throw aborted(signal);
        let chain;
        try {
          chain = joinLoad(settings, onEvent);
        } catch (error) {
          state = 'failed';
          tell(onEvent, { type: 'failed', attempt: 0, ms: 0, code: (error as LoaderError).code });
          throw error;
        }
        if (state !== 'ready') state = 'loading';
        // The state is that of the load, whoever detached from it.
        chain.then(
          () => (state = 'ready'),
          () => (state = 'failed'),
        );
        return embedded(await until(chain, signal));
      }),
    preload() {
      if (typeof document !== 'undefined') preloadScript(settings.url, settings.nonce);
    },
  };
}

/**
 * `createLoader` and `load` in one: for pages with one place that loads. May stand at module level: on a server it
 * rejects `not_in_browser`, which crashes no process.
 *
 * @example
 * const service = await loadService({ environment: 'production', loaderUrl: 'https://pay.example.com/app/embedded.loader.js' });
 * await service.startFlow(sessionUrl);
 */
export function loadService(options: LoaderOptions & { signal?: AbortSignal }): Promise<EmbeddedService> {
  return quiet(async () => createLoader(options).load(options));
}
