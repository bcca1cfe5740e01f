// One flow of one component, from the session to the verdict. Knows no React: it outlives the component that
// started it, so that a modal's verdict is never lost to an unmount, a route change, StrictMode or <Activity>.
import type { Appearance, Flow, FlowEvent, Loader } from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from './error.js';
import {
  hasExpired,
  IDLE,
  isEvent,
  OPEN,
  parseSession,
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
  type SessionFactory,
  type SessionReason,
  type SessionSource,
} from './flow-state.js';

const SESSION_TIMEOUT_MS = 30_000;

/** One of the merchant's own may not know how to get ready. */
type SomeLoader = Omit<Loader, 'warm'> & Partial<Pick<Loader, 'warm'>>;

/** What a provider, or a component, may say of its flows. */
export interface Wishes {
  /** BCP 47, such as `es`; without it the provider's, the loader's, else the payer's browser decides. Taken when a flow opens. */
  readonly locale?: string | undefined;
  /** How the form looks; without it as provider or loader say. Taken when a flow opens, as a whole. */
  readonly appearance?: Appearance | undefined;
  /** Told what happens in the flow, in the end with its result; always the latest one that was rendered. */
  readonly onEvent?: ((event: EmbeddedEvent) => void) | undefined;
}

/** What the component last rendered with. */
export interface Wiring extends Wishes {
  readonly flow: Flow | 'other';
  readonly loader: SomeLoader | undefined;
  readonly session?: SessionSource | null | undefined;
  readonly sessionKey?: string | undefined;
  readonly onSettled?: ((result: PaymentResult) => void) | undefined;
  readonly onReady?: (() => void) | undefined;
  /** The provider's, as it last rendered: it may do so after this component is gone. */
  readonly provided: { readonly current: Wishes } | undefined;
}

export interface FlowController {
  /** Takes the latest options and callbacks; restarts nothing. */
  readonly configure: (wiring: Wiring) => void;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getState: () => FlowState;
  /** Runs the flow in the modal, or joins the run under way; never rejects. */
  readonly start: (source?: SessionSource | EventLike | null) => Promise<PaymentResult>;
  /** The same, inline; `open` is then what the payer can see. */
  readonly startIn: (container: Element) => Promise<PaymentResult>;
  /** The payer can see the form. */
  readonly ready: () => void;
  readonly prefetch: () => void;
  readonly abort: () => void;
  readonly reset: () => void;
  /** The place of an inline flow is gone: without a verdict, nobody can tell any more how it ended. */
  readonly end: () => void;
}

/** The modal of a loader, in preparation already, until it is over or called off: a second one asks for no session. */
const modals = new WeakMap<SomeLoader, AbortSignal>();

/** Until every flow that was called off, or lost its place, has closed. */
let leaving: Promise<unknown> | undefined;

/** Calls the merchant's code; what it throws reaches the page's error handlers and not the flow. */
function deliver<A>(callback: ((argument: A) => void) | undefined, argument: A): void {
  try {
    callback?.(argument);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The browser renders this page ahead of a visit. */
const isAhead = () => (globalThis.document as { prerendering?: boolean } | undefined)?.prerendering;

const receive = (answer: unknown): ReceivedSession => ({ ref: parseSession(answer), at: Date.now() });

async function ask(
  source: SessionFactory,
  reason: SessionReason,
  signal: AbortSignal,
): Promise<ReceivedSession> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answer: unknown;
  try {
    answer = await Promise.race([
      source({ signal, reason }),
      new Promise((_, reject) => {
        timer = setTimeout(reject, SESSION_TIMEOUT_MS, new Error('No answer within 30 s'));
      }),
    ]);
  } catch (cause) {
    throw new EmbeddedPaymentError(
      { code: 'session_failed', message: 'No session: see cause', retryable: true },
      cause,
    );
  } finally {
    clearTimeout(timer);
  }
  return receive(answer);
}

export function createFlowController(initial: FlowState): FlowController {
  let wiring = {} as Wiring;
  let state = initial;
  let running: Promise<PaymentResult> | undefined;
  let attempt = new AbortController();
  let prefetched: { key: string | undefined; session: Promise<ReceivedSession> } | undefined;
  let ended = false;
  let seen: boolean | undefined;
  const listeners = new Set<() => void>();

  function move(next: FlowState): void {
    state = transition(state, next);
    for (const listener of listeners) listener();
  }

  function ready(): void {
    move(OPEN);
    if (seen || state !== OPEN) return;
    seen = true;
    deliver(wiring.onReady, undefined);
  }

  const wish = <Name extends keyof Wishes>(name: Name): Wishes[Name] =>
    wiring[name] ?? wiring.provided?.current[name];
  const dress = () => ({ locale: wish('locale'), appearance: wish('appearance') });

  function emit(event: EmbeddedEvent): void {
    deliver(wiring.onEvent, event);
    deliver(wiring.provided?.current.onEvent, event);
  }

  function abort(): void {
    prefetched = undefined;
    attempt.abort();
  }

  function leave(): void {
    leaving = Promise.all([leaving, running]).then(() => undefined);
    abort();
  }

  function renew(): AbortController {
    abort();
    return (attempt = new AbortController());
  }

  async function run(
    given: SessionSource | null | undefined,
    container: Element | undefined,
  ): Promise<PaymentResult> {
    const { loader, session: own, sessionKey: key, flow } = wiring;
    const reason = reasonAfter(state);
    const source = given === undefined ? own : given;
    const factory = typeof source === 'function' && source;
    const early = factory && factory === own && prefetched?.key === key && prefetched?.session;
    const mine = early ? attempt : renew();
    const { signal } = mine;
    prefetched = undefined;
    const unlessAborted = <T>(work: T | Promise<T>): Promise<T> =>
      Promise.race([
        work,
        new Promise<never>((_, reject) => {
          // It may have come between one wait and the next.
          if (signal.aborted) reject();
          signal.addEventListener('abort', reject);
        }),
      ]);
    let result: PaymentResult;
    let opened = false;
    seen = false;
    move(PREPARING);
    try {
      if (!loader)
        throw new EmbeddedPaymentError({
          code: 'no_loader',
          message: 'Wrap the app in <EmbeddedProvider loader>',
        });
      if (!container) {
        if (modals.get(loader)?.aborted === false)
          throw new EmbeddedPaymentError({
            code: 'flow_in_progress',
            message: 'Another flow is open',
          });
        modals.set(loader, signal);
      }
      // Rendered ahead of a visit that may never come: then the loader loads, and then a session is worth its while.
      if (isAhead()) await unlessAborted(loader.load({ signal }));
      let [session, service] = await unlessAborted(
        Promise.all([
          early || (factory ? ask(factory, reason, signal) : receive(source)),
          loader.load({ signal }),
        ]),
      );
      if (factory && hasExpired(session, flow, Date.now())) {
        session = await unlessAborted(ask(factory, 'expired', signal));
      }
      // The one that this flow replaces, or any other that its page took along, may be closing still.
      await unlessAborted(leaving);
      if (!container) move(OPEN);
      for (;;) {
        opened = true;
        result = await service[flow === 'payment' ? 'completePayment' : 'startFlow'](session.ref, {
          signal,
          container,
          // What a modal shows is known by its method alone.
          expectedFlow: container && (flow as Flow),
          canRenew: !!factory,
          ...dress(),
          onEvent(event: FlowEvent) {
            if (event.type === 'ready') ready();
            emit({ ...event, flow });
          },
        });
        if (!factory || !('renew' in result)) break;
        // The payer asks to start again.
        opened = false;
        session = await unlessAborted(ask(factory, 'expired', signal));
      }
    } catch (error) {
      result = resultOf(error, signal.aborted, opened);
      // What failed calls off the rest: the request for the session, the wait for the script, what may still be shown.
      mine.abort();
    }
    if (loader && modals.get(loader) === signal) modals.delete(loader);
    running = undefined;
    move(settledWith(result));
    // A payer reads that it failed; whoever made the page, why.
    if (result.status === 'failed') console.error('embedded-sessions:', result.error);
    // What the payer saw is told although its place is gone.
    if (!ended || result.status === 'completed' || result.status === 'expired') {
      deliver(wiring.onSettled, result);
    } else result = { status: 'unknown' };
    emit({ type: 'settled', flow, result });
    return result;
  }

  function join(source: SessionSource | null | undefined, container?: Element): Promise<PaymentResult> {
    if (!running) {
      let settle!: (result: Promise<PaymentResult>) => void;
      // Known before it begins: the merchant's code, which it calls, may call here again.
      const started = (running = new Promise<PaymentResult>((resolve) => (settle = resolve)));
      settle(run(source, container));
      return started;
    }
    if (attempt.signal.aborted) {
      // The run is called off, and this call is for the next: unless it is called off too, or money may have moved.
      const { signal } = renew();
      running = running.then((result) =>
        result.status === 'canceled' && !signal.aborted ? join(source, container) : result,
      );
    }
    return running;
  }

  return {
    configure: (next) => void (wiring = next),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: () => state,
    ready,
    start: (given) => join(isEvent(given) ? undefined : given),
    startIn: (container) => join(undefined, container),
    prefetch() {
      const { loader, session, sessionKey: key } = wiring;
      loader?.preload();
      // That it failed is nobody's error.
      void loader?.warm?.(dress()).catch(() => {});
      if (running || isAhead() || typeof session !== 'function' || (prefetched?.key === key && prefetched))
        return;
      const { signal } = renew();
      const mine = (prefetched = { key, session: ask(session, reasonAfter(state), signal) });
      // A failure here is not the payer's yet: it is forgotten, and the click asks again.
      mine.session.catch(() => {
        if (prefetched === mine) abort();
      });
    },
    abort: leave,
    reset() {
      if (!running) abort();
      move(IDLE);
    },
    end() {
      ended = true;
      leave();
    },
  };
}
