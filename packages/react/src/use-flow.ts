import {
  createContext,
  useContext,
  useInsertionEffect,
  useState,
  useSyncExternalStore,
  type Context,
} from 'react';
import type { Flow, Loader } from '@embedded-sessions/loader';
import { FlowController, type FlowSettings } from './controller.js';
import {
  IDLE,
  type EventLike,
  type FlowState,
  type PaymentResult,
  type SessionSource,
} from './flow-state.js';

/** Options of {@link useEmbeddedPayment} and {@link useEmbeddedFlow}. */
export interface UseEmbeddedOptions extends FlowSettings {
  /**
   * The session to open, or a function that fetches it. `pay(session)` and `start(session)` override it. With `null`, the
   * session is not available yet: starting the flow fails with `session_invalid`.
   */
  session?: SessionSource | null | undefined;
  /** Identifies what is paid, such as a cart's id and total. A change discards a prefetched session. */
  sessionKey?: string | undefined;
  /** Called once per attempt with its result, even after an unmount. Always the latest rendered function. */
  onSettled?: ((result: PaymentResult) => void) | undefined;
  /**
   * Called once per attempt when the frame has loaded. The form in it may appear later. Some SDKs don't report this for a
   * modal.
   */
  onReady?: (() => void) | undefined;
  /** Default: the provider's. */
  loader?: Loader | undefined;
}

/**
 * Opens the flow with this session, or with the session from the options. Ignores events, as from `onClick`. Other values
 * that are not a session, such as a promise or `null`, fail with `session_invalid`.
 *
 * @example
 * <button onClick={pay}>Pay</button>
 * <button onClick={() => pay(session)}>Pay this one</button>
 */
export type StartFlow = (session?: SessionSource | EventLike) => Promise<PaymentResult>;

/** The functions that both hooks return. Their identity is stable. */
export interface FlowActions {
  /**
   * Closes the flow. The result is `canceled` by `merchant`, or `unknown` if a payment is in flight or the frame hasn't
   * replied yet (ask the backend). You can start a new flow right away; it opens once this one is canceled.
   */
  readonly abort: () => void;
  /** Returns to `idle` after a result and discards a prefetched session. Does not affect a running flow. */
  readonly reset: () => void;
  /**
   * Loads and prepares the operator's script and, if `session` is a function, fetches the session. Call it before the
   * click, for example on hover. Ignores failures: the click tries again.
   */
  readonly prefetch: () => void;
}

interface EmbeddedContextValue {
  readonly loader: Loader;
  /** A ref, so that changes don't rerender and flows never call stale callbacks. */
  readonly latest: { readonly current: FlowSettings };
}

export const EmbeddedContext: Context<EmbeddedContextValue | null> =
  createContext<EmbeddedContextValue | null>(null);

/** Creates one controller per component and keeps it configured with the latest render. */
export function useController(
  flow: Flow | 'other',
  options: UseEmbeddedOptions,
  initial: FlowState,
): [FlowController, FlowState] {
  const context = useContext(EmbeddedContext);
  const [controller] = useState(() => new FlowController(initial));
  // Insertion effects also run in hidden trees, and before any effect that could start the flow.
  useInsertionEffect(() => {
    const loader = options.loader ?? context?.loader;
    controller.configure({ ...options, flow, loader, provided: context?.latest });
  });
  const state = useSyncExternalStore(controller.subscribe, controller.getState, controller.getState);
  return [controller, state];
}

/** Shared by both hooks, which differ in the name of the function that starts the flow. */
export function useFlow<Name extends string>(
  flow: 'payment' | 'other',
  name: Name,
  options: UseEmbeddedOptions = {},
): FlowState & FlowActions & Readonly<Record<Name, StartFlow>> {
  const [{ start, abort, reset, prefetch }, state] = useController(flow, options, IDLE);
  return { ...state, [name]: start, abort, reset, prefetch };
}

/** What {@link useEmbeddedFlow} returns. */
export type EmbeddedFlowControls = FlowState &
  FlowActions & {
    /** Opens the flow in the modal. Never rejects. A second call while the flow is running joins it. */
    readonly start: StartFlow;
  };

/**
 * Runs any of the other six flows in the operator's modal (`startFlow`, R-4): AutoPay, wallet, paperless, scheduling a
 * payment, managing scheduled payments, notifications. Otherwise like {@link useEmbeddedPayment}.
 *
 * @example
 * const { start, status } = useEmbeddedFlow({ session: () => createWalletSession() });
 * return <button onClick={start} disabled={status === 'preparing'}>Payment methods</button>;
 */
export function useEmbeddedFlow(options?: UseEmbeddedOptions): EmbeddedFlowControls {
  return useFlow('other', 'start', options);
}

/** What {@link useEmbeddedPayment} returns. */
export type EmbeddedPayment = FlowState &
  FlowActions & {
    /** Opens the payment in the modal. Never rejects. A second call while the flow is running joins it. */
    readonly pay: StartFlow;
  };

/**
 * Runs a payment in the operator's modal (`completePayment`, R-4). The result reaches `onSettled`, the promise of `pay`
 * and the provider's `onEvent` even after an unmount. `completed` is only the page's view: confirm it on your backend
 * before you ship anything.
 *
 * @example
 * function PayButton({ accountNumber }: { accountNumber: string }) {
 *   const { pay, status, error } = useEmbeddedPayment({
 *     session: ({ signal }) => createPaymentSession(accountNumber, { signal }),
 *     onSettled: (result) => result.status !== 'failed' && refreshBalance(),
 *   });
 *   return (
 *     <>
 *       <button onClick={pay} disabled={status === 'preparing' || status === 'open'}>Pay</button>
 *       {error && <p role="alert">The payment could not be opened. Please try again.</p>}
 *     </>
 *   );
 * }
 */
export function useEmbeddedPayment(options?: UseEmbeddedOptions): EmbeddedPayment {
  return useFlow('payment', 'pay', options);
}
