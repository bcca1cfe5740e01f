import { attempt } from './attempt.js';
import { declaredAdapter } from './declared.js';
import { ownProperties, sessionUrlOf, type Environment, type SessionRef } from './environment.js';
import { guarded, LoaderError, throwIfAborted, untilAborted } from './error.js';
import { embed, presentationOf, type EmbeddedService } from './flow.js';
import { rememberFocus } from './focus.js';
import { LoadAttempts } from './load-attempts.js';
import type { LoaderOptions } from './options.js';
import { registry } from './registry.js';
import { prefetch } from './script.js';
import type { PresentationOptions, ServiceAdapter, ServiceGlobal } from './sdk.js';
import { agree, isOurs, refuseOtherLoaders, targetOf, type Target } from './target.js';
import { pause, untilVisited } from './timing.js';
import { loadUndeclared } from './undeclared-chunk.js';

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
   * Loads the SDK. Concurrent calls share the same attempts. After a failure, a later call tries again. An aborted
   * `signal` detaches only its own caller. On a prerendered page, loading starts with the visit. Rejects with a
   * {@link LoaderError}, on a server with `not_in_browser`.
   *
   * @example
   * const service = await loader.load();
   */
  load(options?: { signal?: AbortSignal | undefined }): Promise<EmbeddedService>;
  /**
   * Fetches the script early (`<link rel=prefetch>`) without executing it. Does nothing on a server.
   *
   * @example
   * payButton.addEventListener('pointerenter', () => loader.preload());
   */
  preload(): void;
  /**
   * Loads the SDK and calls its `warm()`, if it has one, so the next flow opens sooner. The options should equal those of
   * the flow; they default to the loader's. Never rejects: the flow reports what fails here.
   *
   * @example
   * payButton.addEventListener('focus', () => loader.warm());
   */
  warm(options?: PresentationOptions): Promise<void>;
}

/**
 * Creates a loader for one environment's SDK. Loads nothing until you call one of its methods. Throws `invalid_options`,
 * and `environment_mismatch` if the options name both environments.
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
export function createLoader(options: LoaderOptions): Loader {
  return new PageLoader(targetOf(options));
}

class PageLoader implements Loader {
  readonly environment: Environment;
  state: Loader['state'] = 'idle';
  readonly #target: Target;

  constructor(target: Target) {
    this.environment = target.claim.environment;
    this.#target = target;
  }

  // Arrow functions, so that callers can destructure them.
  load = (input?: { signal?: AbortSignal | undefined }): Promise<EmbeddedService> =>
    guarded(async () => {
      const { environment } = this;
      const { environments, options } = this.#target;
      const { sdk } = await this.#whenReady(ownProperties(input).signal);
      const adapter = await this.#adapterFor(sdk);

      return embed({
        environment,
        sdk,
        adapter,
        flows: registry().flows,
        urlOf: (session: SessionRef) => {
          refuseOtherLoaders(this.#target);
          return sessionUrlOf(session, environment, environments);
        },
        defaults: options,
      });
    });

  preload = (): void => {
    if (!globalThis.document) return;
    rememberFocus();
    const { claim, options } = this.#target;
    prefetch(claim.loaderUrl, options);
  };

  warm = async (input?: PresentationOptions): Promise<void> => {
    const { options, timeoutMs } = this.#target;
    try {
      const { sdk } = await this.#whenReady();
      await Promise.race([(sdk as ServiceGlobal).warm?.(presentationOf(input, options)), pause(timeoutMs)]);
    } catch {
      // The flow tries again and reports the error.
    }
  };

  async #whenReady(signal?: AbortSignal): Promise<{ sdk: object }> {
    if (!globalThis.document)
      throw new LoaderError('not_in_browser', 'Load in the browser, not on the server.');

    throwIfAborted(signal);
    rememberFocus();
    if (this.state !== 'ready') this.state = 'loading';

    const loading = guarded(() => this.#join());
    // Update the state even if this caller detaches.
    loading.then(
      () => (this.state = 'ready'),
      () => (this.state = 'failed'),
    );
    return untilAborted(loading, signal);
  }

  /** Joins the page's load or starts it. Throws if this loader conflicts with an earlier one. */
  async #join(): Promise<{ sdk: object }> {
    await untilVisited();
    const { claim, chain, listeners } = (registry().load ??= new LoadAttempts(this.#target).start());
    agree(this.#target, claim);

    const { onEvent } = this.#target.options;
    const leave = () => listeners.delete(onEvent);
    listeners.add(onEvent);
    chain.then(leave, leave);
    refuseOtherLoaders(this.#target);
    return chain;
  }

  async #adapterFor(sdk: object): Promise<ServiceAdapter> {
    const { options, timeoutMs } = this.#target;
    const isDeclared = attempt(() => (sdk as ServiceGlobal).protocol) === 1;
    const adapter = options.adapter ?? (isDeclared && declaredAdapter);
    if (adapter === declaredAdapter && isOurs(this.#target)) return adapter;

    const chunk = await Promise.race([loadUndeclared(), pause(timeoutMs)]).catch(() => undefined);
    if (!chunk) throw new LoaderError('network_error', 'Part of the loader did not load: try again.');
    return chunk.untrusted(adapter || chunk.undeclaredAdapter);
  }
}

/**
 * `createLoader` and `load` in one call, for pages that load in one place. Can be called at module level: on a server, it
 * rejects with `not_in_browser` but doesn't end the process.
 *
 * @example
 * const service = await loadService({ environment: 'production', loaderUrl: 'https://pay.example.com/app/embedded.loader.js' });
 * await service.startFlow(sessionUrl);
 */
export function loadService(
  options: LoaderOptions & { signal?: AbortSignal | undefined },
): Promise<EmbeddedService> {
  return guarded(async () => createLoader(options).load(options));
}
