import { contractAdapter } from './adapter.js';
import {
  identityOf,
  own,
  placeOf,
  sessionUrlOf,
  unsaid,
  type Environment,
  type SessionRef,
} from './environment.js';
import { aborted, heed, invalid, LoaderError, mismatch, quiet, type LoaderErrorCode } from './error.js';
import { embed, type EmbeddedService } from './flow.js';
import type { LoaderEvent, LoaderOptions } from './options.js';
import { pause, registry, tell, visit, type Claim, type Load } from './registry.js';
import {
  drop,
  foreignEnd,
  inject,
  otherLoader,
  outcomeOf,
  preconnect,
  preloadScript,
  removePreload,
  settled,
  tagOf,
} from './script.js';
import type { Presentation, ServiceGlobal, Wishes } from './sdk.js';

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
   * An aborted `signal` detaches its own caller only. On a page that is rendered ahead of a visit it begins at the visit. Rejects with a {@link LoaderError}, `not_in_browser` on a server.
   *
   * @example
   * const service = await loader.load();
   */
  load(options?: { signal?: AbortSignal | undefined }): Promise<EmbeddedService>;
  /**
   * Fetches the script ahead of time and executes nothing. Does nothing on a server.
   *
   * @example
   * payButton.addEventListener('pointerenter', () => loader.preload());
   */
  preload(): void;
  /**
   * Loads the SDK and lets it get ready to open a flow (its `warm()`, where it has one) that speaks and looks as said
   * here, else as this loader's do. Never rejects: what fails here is tried again by the flow, and told there.
   *
   * @example
   * payButton.addEventListener('focus', () => loader.warm());
   */
  warm(options?: Wishes): Promise<void>;
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
  const { adapter, onEvent, retries = 2, timeoutMs = 20_000 } = options;
  const globalName = options.globalName || 'Service';
  const place = placeOf(options);
  const { environment, loaderUrl, find, origins } = place;
  if (!environment || !loaderUrl) throw unsaid(environment);
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

  /** The SDK's global and the environment that it reports, whatever its getters do. */
  const readGlobal = (): [sdk?: object, reported?: unknown] => {
    try {
      // An element with id="Service" is a property of window too, but not its own.
      const sdk = Object.hasOwn(globalThis, globalName) && (globalThis as never)[globalName];
      return sdk ? [sdk, (sdk as { environment?: unknown }).environment] : [];
    } catch (error) {
      throw new LoaderError('service_missing', `window.${globalName} throws when it is read.`, {}, error);
    }
  };

  /** The SDK, if it is there and all says that it is of our environment. */
  const findService = () => {
    refuseOthers();
    const [sdk, reported] = readGlobal();
    if (!sdk) return undefined;
    const known = tagOf(identity) || registry().scripts.has(identity) ? environment : 'unknown';
    const found = typeof reported === 'string' ? reported : known;
    if (found !== environment) throw mismatch(environment, found, `window.${globalName}`);
    return { sdk };
  };

  /** One chain of attempts under one deadline. */
  const start = (): Load => {
    const began = Date.now();
    const listeners: Load['listeners'] = new Set();
    let tag: HTMLScriptElement | undefined;
    let attempt = 0;
    let over: LoaderError | undefined;

    const emit = (type: LoaderEvent['type'], code?: LoaderErrorCode) => {
      for (const listener of listeners)
        tell(listener, { type, attempt, ms: Date.now() - began, ...(code && { code }) });
    };

    const attempts = async (): Promise<{ sdk: object }> => {
      // Not before the page's load is known: a listener may call load() again.
      await Promise.resolve();
      preconnect(origins);
      tag = tagOf(identity);
      let found: { sdk: object } | undefined;
      const isThere = () => over || (found = findService());
      if (!isThere() && tag) await foreignEnd(tag, timeoutMs / 4, isThere);
      for (;;) {
        if (found) return found;
        if (over) throw over;
        if (tag) drop(tag);
        attempt++;
        emit('attempt');
        tag = inject(href, environment, options);
        const failed = await outcomeOf(tag);
        if (failed) {
          if (!failed.retryable || attempt > retries) throw failed;
          await pause(2 ** attempt * 100 * (1 + Math.random()));
          continue;
        }
        await settled(isThere);
        if (!found)
          throw new LoaderError(
            'service_missing',
            `No window.${globalName} from ${origin}: check globalName.`,
          );
      }
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
  const join = (): Promise<{ sdk: object }> => {
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

  const ready = async (signal?: AbortSignal): Promise<{ sdk: object }> => {
    if (!globalThis.document) throw new LoaderError('not_in_browser', 'Load in the browser.');
    heed(signal);
    if (state !== 'ready') state = 'loading';
    const chain = quiet(async () => {
      await visit();
      return join();
    });
    // The state is that of the load, whoever detached from it.
    chain.then(
      () => (state = 'ready'),
      () => (state = 'failed'),
    );
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(aborted(signal!));
      const stay = () => signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', onAbort);
      chain.then(resolve, reject).finally(stay);
    });
  };

  return {
    environment,
    get state() {
      return state;
    },
    load: (input) =>
      quiet(async () => {
        const { sdk } = await ready(own(input).signal);
        const { flows, lines } = registry();
        const urlOf = (session: SessionRef) => {
          refuseOthers();
          return sessionUrlOf(session, environment, place);
        };
        return embed(environment, sdk, adapter ?? contractAdapter(lines), flows, urlOf, options);
      }),
    preload() {
      if (!globalThis.document) return;
      preconnect(origins);
      preloadScript(href, options);
    },
    async warm(input) {
      try {
        const { sdk } = await ready();
        const { locale = options.locale, appearance = options.appearance } = own(input);
        const warmed = (sdk as ServiceGlobal).warm?.({ locale, appearance } as Presentation);
        await Promise.race([warmed, pause(timeoutMs)]);
      } catch {
        // The flow that needs it tries again, and tells.
      }
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
export function loadService(
  options: LoaderOptions & { signal?: AbortSignal | undefined },
): Promise<EmbeddedService> {
  return quiet(async () => createLoader(options).load(options));
}
