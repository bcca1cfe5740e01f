import {
  own,
  placeOf,
  sessionUrlOf,
  unsaid,
  type Environment,
  type EnvironmentOptions,
} from './environment.js';
import { aborted, heed, invalid, LoaderError, mismatch, quiet, type LoaderErrorCode } from './error.js';
import { embed, type EmbeddedService } from './flow.js';
import { registry, tell, type Registry } from './registry.js';
import {
  drop,
  foreignEnd,
  identityOf,
  inject,
  otherLoader,
  outcomeOf,
  pause,
  preloadScript,
  removePreload,
  tagOf,
} from './script.js';
import { contractAdapter, type ServiceAdapter } from './sdk.js';

/**
 * What a loader needs to know. Going live changes values here and nothing else. No API key fits in.
 *
 * @example
 * const options: LoaderOptions = {
 *   environment: 'staging',
 *   loaderUrls: { staging: env.STAGING_LOADER_URL, production: env.PRODUCTION_LOADER_URL },
 *   onEvent: ({ type, code, ms }) => metrics.record(`loader.${type}`, ms, { code }),
 * };
 */
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

/**
 * One step of a load. `ms`: milliseconds since the load began.
 *
 * @example
 * const event: LoaderEvent = { type: 'failed', attempt: 3, ms: 1_240, code: 'network_error' };
 */
export interface LoaderEvent {
  type: 'attempt' | 'ready' | 'failed';
  /** 1 for the first; 0 when the SDK was on the page already. */
  attempt: number;
  ms: number;
  /** Of a `failed` load: the code it rejects with. */
  code?: LoaderErrorCode;
}

/**
 * Loads the SDK of one environment, once per page.
 *
 * @example
 * const loader: Loader = createLoader(options);
 * if (loader.state !== 'ready') showSpinner();
 * const service = await loader.load();
 */
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
  /**
   * Fetches the script ahead of time and executes nothing. Does nothing on a server.
   *
   * @example
   * payButton.addEventListener('pointerenter', () => loader.preload());
   */
  preload(): void;
}

/** The values that two loads on one page must agree on. */
export interface Claim {
  environment: Environment;
  loaderUrl: string;
  sessionPrefixes: string;
  globalName: string;
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
  const { adapter = contractAdapter, nonce, onEvent, retries = 2, timeoutMs = 20_000 } = options;
  const globalName = options.globalName || 'Service';
  const { environment, loaderUrl, find } = placeOf(options);
  if (!environment || !loaderUrl) throw unsaid();
  // setTimeout takes 31 bits and fires at once beyond them.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31 && retries >= 0))
    throw invalid('timeoutMs or retries is out of range.');
  const { href, origin } = loaderUrl;
  const identity = identityOf(href);
  const { staging, production } = own(options.sessionPrefixes);
  const claim: Claim = {
    environment,
    loaderUrl: href,
    sessionPrefixes: JSON.stringify([staging, production]),
    globalName,
  };
  let state: Loader['state'] = 'idle';

  /** Refuses a page that has another environment's loader on it, run or in flight. */
  const refuseOthers = () => {
    const other = otherLoader(identity, environment, find);
    if (other) throw mismatch(environment, other, 'another loader here');
  };

  /** The SDK's global, if it is there and all says that it is of our environment. */
  const findService = () => {
    refuseOthers();
    // An element with id="Service" is a property of window too, but not its own.
    const service = Object.hasOwn(globalThis, globalName) && (globalThis as never)[globalName];
    if (!service) return undefined;
    const { environment: reported } = service as { environment?: unknown };
    const known = tagOf(identity) || registry().scripts.has(identity) ? environment : 'unknown';
    const found = typeof reported === 'string' ? reported : known;
    if (found !== environment) throw mismatch(environment, found, `window.${globalName}`);
    return service as object;
  };

  /** One chain of attempts under one deadline. */
  const start = (): NonNullable<Registry['load']> => {
    const began = Date.now();
    const listeners: NonNullable<Registry['load']>['listeners'] = new Set();
    let tag: HTMLScriptElement | undefined;
    let attempt = 0;
    let over: LoaderError | undefined;

    const emit = (type: LoaderEvent['type'], code?: LoaderErrorCode) => {
      for (const listener of listeners)
        tell(listener, { type, attempt, ms: Date.now() - began, ...(code && { code }) });
    };

    const attempts = async (): Promise<object> => {
      // Not before the page's load is known: a listener may call load() again.
      await Promise.resolve();
      tag = tagOf(identity);
      let service = findService();
      if (!service && tag) {
        await foreignEnd(tag, timeoutMs / 4);
        service = findService();
      }
      while (!service) {
        if (over) throw over;
        if (tag) drop(tag);
        attempt++;
        emit('attempt');
        tag = inject(href, environment, nonce);
        const failed = await outcomeOf(tag);
        if (failed) {
          if (!failed.retryable || attempt > retries) throw failed;
          await pause(2 ** attempt * 100 * (1 + Math.random()));
        } else if (!(service = findService()))
          throw new LoaderError(
            'service_missing',
            `No window.${globalName} from ${origin}: check globalName.`,
          );
      }
      return service;
    };

    const chain = Promise.race([
      attempts(),
      pause(timeoutMs).then(() => {
        over = new LoaderError('timeout', `${origin} took over ${timeoutMs} ms: try again.`);
        throw over;
      }),
    ]);
    chain.then(
      () => emit('ready'),
      ({ code }: LoaderError) => {
        registry().load = undefined;
        if (tag) drop(tag);
        removePreload(href);
        emit('failed', code);
      },
    );
    return { claim, chain, listeners };
  };

  /** Joins the page's load, or starts it. Throws where this loader disagrees with an earlier one. */
  const join = (): Promise<object> => {
    const { claim: earlier, chain, listeners } = (registry().load ??= start());
    for (const field of Object.keys(claim) as (keyof Claim)[])
      if (earlier[field] !== claim[field])
        throw field === 'environment'
          ? mismatch(environment, earlier[field], 'the SDK here')
          : new LoaderError('options_conflict', `An earlier load had another ${field}: use one.`, { field });
    const leave = () => listeners.delete(onEvent);
    listeners.add(onEvent);
    chain.then(leave, leave);
    refuseOthers();
    return chain;
  };

  return {
    environment,
    get state() {
      return state;
    },
    load: (input) =>
      quiet(async () => {
        const { signal } = own(input);
        if (!globalThis.document) throw new LoaderError('not_in_browser', 'Load in the browser.');
        heed(signal);
        if (state !== 'ready') state = 'loading';
        const chain = quiet(async () => join());
        // The state is that of the load, whoever detached from it.
        chain.then(
          () => (state = 'ready'),
          () => (state = 'failed'),
        );
        const service = await new Promise<object>((resolve, reject) => {
          const onAbort = () => reject(aborted(signal!));
          const stay = () => signal?.removeEventListener('abort', onAbort);
          signal?.addEventListener('abort', onAbort);
          chain.then(resolve, reject).finally(stay);
        });
        return embed(environment, service, adapter, registry().flows, (session) => {
          refuseOthers();
          return sessionUrlOf(session, environment, find);
        });
      }),
    preload() {
      if (globalThis.document) preloadScript(href, nonce);
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
