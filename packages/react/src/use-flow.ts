import { useContext, useInsertionEffect, useState, useSyncExternalStore } from 'react';
import type { Flow, Loader } from '@embedded-sessions/loader';
import { EmbeddedContext } from './context.js';
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
   * The session to open, or how to get one; `pay(session)` and `start(session)` take precedence. `null` means not yet: a
   * flow that is started before it is there fails with `session_invalid`.
   */
  session?: SessionSource | null | undefined;
  /** Changed: a session that `prefetch` fetched is forgotten. Set it to what the payer owes, such as a cart's id and total. */
  sessionKey?: string | undefined;
  /** Called once per attempt with its result, after an unmount too; always the latest one that was rendered. */
  onSettled?: ((result: PaymentResult) => void) | undefined;
  /** The payer can see the form: once per attempt, in the modal where the SDK says so. */
  onReady?: (() => void) | undefined;
  /** Instead of the provider's. */
  loader?: Loader | undefined;
}

/**
 * Opens the flow: with the session of the options, or with this one. An event, as of `onClick`, is no session; anything
 * else that is none, a promise or `null`, fails with `session_invalid`.
 *
 * @example
 * <button onClick={pay}>Pay</button>
 * <button onClick={() => pay(session)}>Pay this one</button>
 */
export type StartFlow = (session?: SessionSource | EventLike) => Promise<PaymentResult>;

/** What both hooks return besides the state. All functions keep their identity. */
export interface FlowActions {
  /**
   * Closes the flow: `canceled` by `merchant`, or `unknown` where a payment is in flight (ask the backend). A start
   * that follows is one of its own, as soon as this flow was canceled.
   */
  readonly abort: () => void;
  /** Back to `idle` after a result; forgets a prefetched session. Does nothing to a flow that runs. */
  readonly reset: () => void;
  /**
   * Loads the operator's script, lets it get ready to open, and where `session` is a function fetches the session too,
   * ahead of the click, as on hover. A failure here is silent: the click asks again.
   */
  readonly prefetch: () => void;
}

/** One controller per component, wired to its latest render. */
export function useController(
  flow: Flow | 'other',
  options: UseEmbeddedOptions,
  initial: FlowState,
): [FlowController, FlowState] {
  const context = useContext(EmbeddedContext);
  const [controller] = useState(() => new FlowController(initial));
  // An insertion effect, since it runs in hidden trees and before any effect that may start the flow.
  useInsertionEffect(() => {
    const loader = options.loader ?? context?.loader;
    controller.configure({ ...options, flow, loader, provided: context?.latest });
  });
  const state = useSyncExternalStore(controller.subscribe, controller.getState, controller.getState);
  return [controller, state];
}

/** Both hooks: state and stable functions of one modal flow, with the name that each has for its start. */
export function useFlow<Name extends string>(
  flow: 'payment' | 'other',
  name: Name,
  options: UseEmbeddedOptions,
): FlowState & FlowActions & Readonly<Record<Name, StartFlow>> {
  const [{ start, abort, reset, prefetch }, state] = useController(flow, options, IDLE);
  return { ...state, [name]: start, abort, reset, prefetch };
}
