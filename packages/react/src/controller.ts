// The flow of one component, from the session to the result. Independent of React: it outlives its component, so that a
// modal's result survives unmounts, route changes, StrictMode and <Activity>.
import type {
  Appearance,
  EmbeddedService,
  Flow,
  FlowEvent,
  FlowResult,
  Loader,
  NextFlow,
  Presentation,
  SessionRef,
} from '@embedded-sessions/loader';
import {
  isPrerendering,
  notify,
  presentationOf,
  reserveModal,
  untilAborted,
} from '@embedded-sessions/loader/internal';
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

/** Settings of a provider for all its flows, or of a component for its own. */
export interface FlowSettings {
  /** BCP 47, such as `es`. Default: the provider's, the loader's, then the payer's browser. Read when a flow opens. */
  readonly locale?: string | undefined;
  /** Appearance of the form. Replaces the provider's or loader's as a whole. Read when a flow opens. */
  readonly appearance?: Appearance | undefined;
  /**
   * The flows that the page can open after a payment (`result.next`). Only a modal's receipt offers them. Read when a
   * flow opens.
   */
  readonly canOpen?: readonly NextFlow[] | undefined;
  /** Called for every event of the flow, and last with its result. Always the latest rendered function. */
  readonly onEvent?: ((event: EmbeddedEvent) => void) | undefined;
}

/** The component's latest options. */
export interface ControllerOptions extends FlowSettings {
  readonly flow: Flow | 'other';
  readonly loader: Loader | undefined;
  readonly session?: SessionSource | null | undefined;
  readonly sessionKey?: string | undefined;
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
  readonly onReady?: (() => void) | undefined;
  /** The provider's latest settings. A ref, because the provider may rerender after this component has unmounted. */
  readonly provided: { readonly current: FlowSettings } | undefined;
}

/** Pending while any flow that was aborted or unmounted is still closing. */
let closing: Promise<unknown> | undefined;

/** Results that the payer sees in the frame. */
const SEEN = ['completed', 'expired'];

/** Methods are arrow functions, because hooks return them individually. */
export class FlowController {
  #state: FlowState;
  #options = {} as ControllerOptions;
  #listener: (() => void) | undefined;
  #running: Promise<PaymentResult> | undefined;
  #attempt = new AbortController();
  /** Lets the next modal open. */
  #leave: (() => unknown) | undefined;
  /** The prefetched session, by its `sessionKey`. */
  readonly #prefetched = new Map<string | undefined, Promise<ReceivedSession>>();
  /** The element of an inline flow was removed. */
  #isEnded = false;
  /** The open session, until it has a result. */
  #payable: SessionRef | undefined;
  /** The last session whose result was `unknown`. */
  #unknown: SessionRef | undefined;
  /** `onReady` was called in this attempt. */
  #wasReady: true | undefined;

  constructor(initial: FlowState) {
    this.#state = initial;
  }

  /** Updates options and callbacks without restarting anything. */
  readonly configure = (options: ControllerOptions): void => {
    this.#options = options;
  };

  /** For the only component of this flow. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listener = listener;
    return () => (this.#listener = undefined);
  };

  readonly getState = (): FlowState => this.#state;

  /** Runs the flow in the modal, or joins the current run. Never rejects. */
  readonly start = (source?: SessionSource | EventLike | null): Promise<PaymentResult> =>
    this.#join(isEvent(source) ? undefined : source);

  /**
   * Runs the flow inline, or joins the current run. Call `ready` once the frame has loaded. After `unknown`, opens the same
   * session, because its payment may have succeeded.
   */
  readonly startIn = (container: Element): Promise<PaymentResult> => this.#join(this.#unknown, container);

  /** Call when the frame has loaded. */
  readonly ready = (): void => {
    this.#move(OPEN);
    if (this.#wasReady || this.#state !== OPEN) return;

    this.#wasReady = true;
    notify(this.#options.onReady);
  };

  readonly prefetch = (): void => {
    const { loader, session, sessionKey: key } = this.#options;
    loader?.preload();
    // Ignore a failure: the click tries again.
    void loader?.warm(this.#presentation()).catch(() => {});

    const isDone = this.#running || this.#prefetched.has(key);
    if (isDone || isPrerendering() || typeof session !== 'function') return;

    const { signal } = this.#newAttempt();
    const early = requestSession(session, reasonAfter(this.#state), signal);
    this.#prefetched.set(key, early);
    early.catch(() => {
      if (this.#prefetched.get(key) === early) this.#abort();
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

  /** Call when an inline flow's element is removed. Without a result yet, the result is `unknown`. */
  readonly end = (): void => {
    this.#isEnded = true;
    this.abort();
  };

  #move(next: FlowState): void {
    this.#state = transition(this.#state, next);
    this.#listener?.();
  }

  #abort(): void {
    this.#prefetched.clear();
    this.#attempt.abort();
  }

  #newAttempt(): AbortController {
    this.#abort();
    return (this.#attempt = new AbortController());
  }

  #presentation(): Presentation {
    return presentationOf(this.#options, this.#options.provided?.current);
  }

  #emit(event: EmbeddedEvent): void {
    notify(this.#options.onEvent, event);
    notify(this.#options.provided?.current.onEvent, event);
  }

  #join(source: SessionSource | null | undefined, container?: Element): Promise<PaymentResult> {
    if (!this.#running) {
      let settle!: (result: Promise<PaymentResult>) => void;
      // Set before the run starts, because it calls the merchant's code, which may call this again.
      this.#running = new Promise((resolve) => (settle = resolve));
      settle(this.#run(source, container));
    } else if (this.#attempt.signal.aborted) {
      // Run again after the aborted run, unless the new run is aborted too or the old one may have paid.
      const { signal } = this.#newAttempt();
      const openSession = this.#payable;
      this.#running = this.#running.then((result) => {
        if (!signal.aborted && (!openSession || result.status === 'canceled'))
          return this.#join(source, container);
        // The completed payment is that of the aborted run, and this caller asked for another.
        return result.status === 'completed' ? { status: 'unknown' } : result;
      });
    }
    return this.#running;
  }

  async #run(
    source: SessionSource | null | undefined = this.#options.session,
    container?: Element,
  ): Promise<PaymentResult> {
    const { session: own, sessionKey: key } = this.#options;
    const reason = reasonAfter(this.#state);
    const isOwnFactory = typeof source === 'function' && source === own;
    const early = isOwnFactory && this.#prefetched.get(key);
    const attempt = early ? this.#attempt : this.#newAttempt();
    const { signal } = attempt;
    this.#prefetched.clear();
    this.#move(PREPARING);

    let result: PaymentResult;
    try {
      result = await this.#open(source, early, reason, container, signal);
    } catch (error) {
      result = resultOf(error, signal.aborted, this.#payable);
      // Cancels the session request, the wait for the script and an open frame.
      attempt.abort();
    }

    this.#leave?.();
    return this.#settle(result);
  }

  async #open(
    source: SessionSource | null | undefined,
    early: Promise<ReceivedSession> | false | undefined,
    reason: SessionReason,
    container: Element | undefined,
    signal: AbortSignal,
  ): Promise<PaymentResult> {
    const { flow, loader } = this.#options;
    if (!loader) throw new EmbeddedPaymentError('no_loader', 'Add <EmbeddedProvider loader>');
    // Fail before requesting a session.
    if (!container) this.#leave = reserveModal(loader, signal);
    const factory = typeof source === 'function' && source;

    // A prerendered page may never be visited. Loading waits for the visit, so load before requesting the session.
    if (isPrerendering()) await untilAborted(loader.load({ signal }), signal);
    let [session, service] = await untilAborted(
      Promise.all([
        early || (factory ? requestSession(factory, reason, signal) : receiveSession(source)),
        loader.load({ signal }),
      ]),
      signal,
    );
    if (factory && hasExpired(session, flow, Date.now()))
      session = await requestSession(factory, 'expired', signal);

    // An earlier flow may still be closing.
    if (closing) await untilAborted(closing, signal);
    if (!container) this.#move(OPEN);

    for (;;) {
      const result = await this.#show(flow, service, session, { signal, container, canRenew: !!factory });
      if (!factory || !('renew' in result)) return result;

      // The payer asked to start again.
      this.#payable = undefined;
      const reason = result.status === 'expired' ? 'expired' : 'retry';
      session = await requestSession(factory, reason, signal);
    }
  }

  #show(
    flow: ControllerOptions['flow'],
    service: EmbeddedService,
    { ref }: ReceivedSession,
    options: { signal: AbortSignal; container: Element | undefined; canRenew: boolean },
  ): Promise<FlowResult> {
    this.#payable = ref;
    return service[flow === 'payment' ? 'completePayment' : 'startFlow'](ref, {
      ...options,
      canOpen: this.#options.canOpen,
      ...this.#presentation(),
      onEvent: (event: FlowEvent) => {
        if (event.type === 'ready') this.ready();
        if (SEEN.includes(event.type)) this.#payable = undefined;
        this.#emit({ ...event, flow });
      },
    });
  }

  #settle(result: PaymentResult): PaymentResult {
    const { status } = result;
    if (status === 'unknown') this.#unknown = this.#payable;
    this.#running = this.#payable = this.#wasReady = undefined;
    this.#move(settledWith(result));
    const { flow, onSettled } = this.#options;
    // The payer sees only that it failed. Log the reason for the developer.
    if (status === 'failed') console.error('embedded-sessions:', result.error);

    // The payer has seen these two results, even if the element is gone.
    const isSeen = SEEN.includes(status) || !this.#isEnded;
    if (isSeen) notify(onSettled, result);
    else result = { status: 'unknown' };
    this.#emit({ type: 'settled', flow, result });
    return result;
  }
}
