// One flow of one component, from the session to the verdict. Independent of React: it outlives its component, so that no
// unmount, route change, StrictMode or <Activity> loses a modal's result.
import {
  LoaderError,
  type Appearance,
  type Flow,
  type FlowEvent,
  type Loader,
  type NextFlow,
} from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from './error.js';
import {
  hasExpired,
  IDLE,
  isEvent,
  OPEN,
  PREPARING,
  reasonAfter,
  resultOf,
  settledWith,
  transition,
  type EmbeddedEvent,
  type EventLike,
  type FlowState,
  type PaymentResult,
  type ReceivedSession,
  type SessionReason,
  type SessionSource,
} from './flow-state.js';
import { receiveSession, requestSession } from './session-request.js';

/** A custom loader may lack `warm`. */
type LoaderLike = Omit<Loader, 'warm'> & Partial<Pick<Loader, 'warm'>>;

/** Settings that a provider has for all its flows, or a component for its own. */
export interface FlowSettings {
  /** BCP 47, such as `es`. Default: the provider's, the loader's, then the payer's browser. Read when a flow opens. */
  readonly locale?: string | undefined;
  /** Appearance of the form. Replaces the provider's or loader's as a whole. Read when a flow opens. */
  readonly appearance?: Appearance | undefined;
  /** What the page can open after a payment (`result.next`). Only receipts of modals offer it. Read when a flow opens. */
  readonly canOpen?: readonly NextFlow[] | undefined;
  /** Receives every event of the flow, and its result last. The latest rendered function is called. */
  readonly onEvent?: ((event: EmbeddedEvent) => void) | undefined;
}

/** The component's latest options. */
export interface ControllerOptions extends FlowSettings {
  readonly flow: Flow | 'other';
  readonly loader: LoaderLike | undefined;
  readonly session?: SessionSource | null | undefined;
  readonly sessionKey?: string | undefined;
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
  readonly onReady?: (() => void) | undefined;
  /** The provider's latest settings. It may render again after this component is gone. */
  readonly provided: { readonly current: FlowSettings } | undefined;
}

/** The open modal of each loader, from its preparation until it settles or is aborted. */
const modals = new WeakMap<LoaderLike, AbortSignal>();

/** Pending while any flow that was aborted or unmounted is still closing. */
let closing: Promise<unknown> | undefined;

/** Calls the merchant's code. Its errors reach the page's error handlers, not the flow. */
function deliver<A>(callback: ((argument: A) => void) | undefined, argument: A): void {
  try {
    callback?.(argument);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** True while the browser renders this page ahead of a visit. */
const isPrerendering = () =>
  (globalThis.document as { prerendering?: unknown } | undefined)?.prerendering === true;

function unlessAborted<T>(signal: AbortSignal, work: T | Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      // It may have aborted between two waits.
      if (signal.aborted) reject();
      signal.addEventListener('abort', reject);
    }),
  ]);
}

/** The functions are arrows: hooks hand them out one by one. */
export class FlowController {
  #state: FlowState;
  #options = {} as ControllerOptions;
  readonly #listeners = new Set<() => void>();
  #running: Promise<PaymentResult> | undefined;
  #attempt = new AbortController();
  #prefetched: { key: string | undefined; session: Promise<ReceivedSession> } | undefined;
  /** The element of an inline flow was removed. */
  #isEnded = false;
  /** `onReady` was called in this attempt. */
  #wasReady = false;

  constructor(initial: FlowState) {
    this.#state = initial;
  }

  /** Updates options and callbacks without restarting anything. */
  readonly configure = (options: ControllerOptions): void => {
    this.#options = options;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): FlowState => this.#state;

  /** Runs the flow in the modal, or joins the current run. Never rejects. */
  readonly start = (source?: SessionSource | EventLike | null): Promise<PaymentResult> =>
    this.#join(isEvent(source) ? undefined : source);

  /** Runs the flow inline, or joins the current run. Call `ready` once the payer can see it. */
  readonly startIn = (container: Element): Promise<PaymentResult> => this.#join(undefined, container);

  /** The payer can see the form. */
  readonly ready = (): void => {
    this.#move(OPEN);
    if (this.#wasReady || this.#state !== OPEN) return;

    this.#wasReady = true;
    deliver(this.#options.onReady, undefined);
  };

  readonly prefetch = (): void => {
    const { loader, session, sessionKey: key } = this.#options;
    loader?.preload();
    // Silent: the click tries again.
    void loader?.warm?.(this.#presentation()).catch(() => {});

    const isPrefetched = this.#prefetched && this.#prefetched.key === key;
    if (this.#running || isPrerendering() || typeof session !== 'function' || isPrefetched) return;

    const { signal } = this.#newAttempt();
    const own = { key, session: requestSession(session, reasonAfter(this.#state), signal) };
    this.#prefetched = own;
    own.session.catch(() => {
      if (this.#prefetched === own) this.#abort();
    });
  };

  readonly abort = (): void => {
    closing = Promise.all([closing, this.#running]).then(() => undefined);
    this.#abort();
  };

  readonly reset = (): void => {
    if (!this.#running) this.#abort();
    this.#move(IDLE);
  };

  /** The element of an inline flow is gone. Without a verdict, its result is unknown. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.abort();
  };

  #move(next: FlowState): void {
    this.#state = transition(this.#state, next);
    for (const listener of this.#listeners) listener();
  }

  #abort(): void {
    this.#prefetched = undefined;
    this.#attempt.abort();
  }

  #newAttempt(): AbortController {
    this.#abort();
    return (this.#attempt = new AbortController());
  }

  #presentation(): Pick<FlowSettings, 'locale' | 'appearance'> {
    const { locale, appearance, provided } = this.#options;
    return {
      locale: locale ?? provided?.current.locale,
      appearance: appearance ?? provided?.current.appearance,
    };
  }

  #emit(event: EmbeddedEvent): void {
    deliver(this.#options.onEvent, event);
    deliver(this.#options.provided?.current.onEvent, event);
  }

  #join(source: SessionSource | null | undefined, container?: Element): Promise<PaymentResult> {
    if (!this.#running) {
      let settle!: (result: Promise<PaymentResult>) => void;
      // Set before the run begins: it calls the merchant's code, which may call this again.
      const started = (this.#running = new Promise<PaymentResult>((resolve) => (settle = resolve)));
      settle(this.#run(source, container));
      return started;
    }

    if (this.#attempt.signal.aborted) {
      // The current run is aborted, so this call starts the next one, unless that is aborted too or money may have moved.
      const { signal } = this.#newAttempt();
      this.#running = this.#running.then((result) =>
        result.status === 'canceled' && !signal.aborted ? this.#join(source, container) : result,
      );
    }
    return this.#running;
  }

  async #run(
    source: SessionSource | null | undefined,
    container: Element | undefined,
  ): Promise<PaymentResult> {
    const { loader, session: own, sessionKey: key } = this.#options;
    const reason = reasonAfter(this.#state);
    const given = source === undefined ? own : source;
    const isOwnFactory = typeof given === 'function' && given === own;
    const early = isOwnFactory && this.#prefetched?.key === key ? this.#prefetched?.session : undefined;
    const attempt = early ? this.#attempt : this.#newAttempt();
    const { signal } = attempt;
    const progress = { isOpened: false };
    this.#prefetched = undefined;
    this.#wasReady = false;
    this.#move(PREPARING);

    let result: PaymentResult;
    try {
      result = await this.#open(given, early, reason, container, signal, progress);
    } catch (error) {
      result = resultOf(error, signal.aborted, progress.isOpened);
      // Stops the rest: the session request, the wait for the script, an open frame.
      attempt.abort();
    }

    if (loader && modals.get(loader) === signal) modals.delete(loader);
    return this.#settle(result);
  }

  async #open(
    source: SessionSource | null | undefined,
    early: Promise<ReceivedSession> | undefined,
    reason: SessionReason,
    container: Element | undefined,
    signal: AbortSignal,
    progress: { isOpened: boolean },
  ): Promise<PaymentResult> {
    const { flow } = this.#options;
    const loader = this.#claimLoader(container, signal);
    const factory = typeof source === 'function' && source;

    // A prerendered page may never be visited. Loading waits for the visit, so request the session after it.
    if (isPrerendering()) await unlessAborted(signal, loader.load({ signal }));
    let [session, service] = await unlessAborted(
      signal,
      Promise.all([
        early || (factory ? requestSession(factory, reason, signal) : receiveSession(source)),
        loader.load({ signal }),
      ]),
    );
    if (factory && hasExpired(session, flow, Date.now()))
      session = await unlessAborted(signal, requestSession(factory, 'expired', signal));

    // A replaced flow, or one removed with its page, may still be closing.
    await unlessAborted(signal, closing);
    if (!container) this.#move(OPEN);

    for (;;) {
      progress.isOpened = true;
      const result = await service[flow === 'payment' ? 'completePayment' : 'startFlow'](session.ref, {
        signal,
        container,
        // The method alone determines the flow of a modal.
        expectedFlow: container && (flow as Flow),
        canRenew: !!factory,
        canOpen: this.#options.canOpen,
        ...this.#presentation(),
        onEvent: (event: FlowEvent) => {
          if (event.type === 'ready') this.ready();
          this.#emit({ ...event, flow });
        },
      });
      if (!factory || !('renew' in result)) return result;

      // The payer asked to start again.
      progress.isOpened = false;
      const reason = result.status === 'expired' ? result.status : 'retry';
      session = await unlessAborted(signal, requestSession(factory, reason, signal));
    }
  }

  /** One modal at a time: a second one fails before it requests a session. */
  #claimLoader(container: Element | undefined, signal: AbortSignal): LoaderLike {
    const { loader } = this.#options;
    if (!loader)
      throw new EmbeddedPaymentError({
        code: 'no_loader',
        message: 'Wrap the app in <EmbeddedProvider loader>',
      });
    if (container) return loader;

    if (modals.get(loader)?.aborted === false)
      throw new LoaderError('flow_in_progress', 'Another flow is open.');

    modals.set(loader, signal);
    return loader;
  }

  #settle(result: PaymentResult): PaymentResult {
    this.#running = undefined;
    this.#move(settledWith(result));
    const { flow, onSettled } = this.#options;
    // The payer sees that it failed; the developer gets the reason.
    if (result.status === 'failed') console.error('embedded-sessions:', result.error);

    // The payer has seen these two, even if the element is gone.
    const isSeen = !this.#isEnded || result.status === 'completed' || result.status === 'expired';
    if (isSeen) deliver(onSettled, result);
    const reported: PaymentResult = isSeen ? result : { status: 'unknown' };
    this.#emit({ type: 'settled', flow, result: reported });
    return reported;
  }
}
