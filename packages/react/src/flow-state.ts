// The states and results of a flow: pure decisions, without React, clock or network.
import {
  isLoaderError,
  type Flow,
  type FlowEvent,
  type FlowResult,
  type SessionRef,
} from '@embedded-sessions/loader';
import { parse, urlOf } from '@embedded-sessions/loader/internal';
import { EmbeddedPaymentError } from './error.js';

/** Why a session is requested: the first time, after an expired one, or after a failed attempt. */
export type SessionReason = 'initial' | 'expired' | 'retry';

/**
 * A created session, or a function that has the merchant's backend create one. The function is called once per attempt,
 * and again with `reason: 'expired'` when its session has expired before it was opened. Its `signal` aborts when the
 * session is no longer needed.
 *
 * @example
 * const session: SessionSource = async ({ signal }) => {
 *   const response = await fetch('/api/payment-session', { method: 'POST', signal });
 *   if (!response.ok) throw new Error(`The bill could not be prepared (${response.status})`);
 *   return response.json();
 * };
 */
export type SessionSource = SessionRef | SessionFactory;

/** A {@link SessionSource} that calls the merchant's backend. */
export type SessionFactory = (context: { signal: AbortSignal; reason: SessionReason }) => Promise<SessionRef>;

/** The common part of events of the DOM, React and component libraries. */
export interface EventLike {
  readonly type: string;
  readonly target: unknown;
}

/** The result of an attempt: the loader's result, or the error that prevented or interrupted it. */
export type PaymentResult = FlowResult | { readonly status: 'failed'; readonly error: EmbeddedPaymentError };

/**
 * An event for `onEvent`: every event of the flow, then one `settled` with the result. `flow` is `other` for flows started
 * by `useEmbeddedFlow`, which doesn't know which of the six it opens. `sessionId`, if the SDK reports it, is the id that
 * your backend got with the session, so you can look it up. `detail` is the SDK's detail of a `completed` event, or the
 * code of an `error`. No event contains a session's URL.
 *
 * @example
 * const onEvent = (event: EmbeddedEvent) => {
 *   if (event.type === 'settled') metrics.count(`${event.flow} ${event.result.status}`);
 * };
 */
export type EmbeddedEvent = (FlowEvent | { readonly type: 'settled'; readonly result: PaymentResult }) & {
  readonly flow: Flow | 'other';
};

/** The state of one flow, as the hooks return it. `result` is set only once `status` is `settled`. */
export type FlowState =
  | { readonly status: 'idle' | 'preparing' | 'open'; readonly result: null; readonly error: null }
  | {
      readonly status: 'settled';
      readonly result: PaymentResult;
      readonly error: EmbeddedPaymentError | null;
    };

const unsettled = (status: 'idle' | 'preparing' | 'open'): FlowState => ({
  status,
  result: null,
  error: null,
});

export const IDLE: FlowState = unsettled('idle');
export const PREPARING: FlowState = unsettled('preparing');
export const OPEN: FlowState = unsettled('open');

export const settledWith = (result: PaymentResult): FlowState => ({
  status: 'settled',
  result,
  error: 'error' in result ? result.error : null,
});

/**
 * Returns `next` if the transition is allowed, otherwise `state` itself, so that nothing rerenders. Preparing and
 * resetting are allowed only if no flow is running, opening and settling only if one is.
 */
export function transition(state: FlowState, next: FlowState): FlowState {
  const isRunning = state === PREPARING || state === OPEN;
  const begins = next === PREPARING || next === IDLE;
  return isRunning === begins ? state : next;
}

/** The reason for the next session, given the last result. */
export function reasonAfter({ result }: FlowState): SessionReason {
  const status = result?.status;
  if (status === 'expired') return status;
  return status === 'failed' || status === 'unknown' ? 'retry' : 'initial';
}

/** A session and the moment it was received, in ms since the epoch. */
export interface ReceivedSession {
  readonly ref: SessionRef;
  readonly at: number;
}

/** Whether a session has expired since it was received. Default lifetimes: 30 minutes for payments, 60 otherwise. */
export function hasExpired({ ref, at }: ReceivedSession, flow: Flow | 'other', now: number): boolean {
  // `expiresInMs` is undefined if `ref` is a string. A backend may send null.
  return (
    now - at >=
    ((ref as Exclude<SessionRef, string>).expiresInMs ?? (flow === 'payment' ? 1_800_000 : 3_600_000))
  );
}

/** True for an event of `onClick`, or of a component library's `onPress`. */
export const isEvent = (value: unknown): value is EventLike =>
  'target' in Object(value) && !urlOf(value as SessionRef);

/** Validates a session. The error doesn't contain the value, which is secret. */
export function parseSession(value: unknown): SessionRef {
  if (parse(urlOf(value as SessionRef))) return value as SessionRef;

  throw new EmbeddedPaymentError(
    'session_invalid',
    `Not a session URL or { sessionUrl }: ${{}.toString.call(value)}`,
  );
}

/**
 * Maps a rejection to a result. An abort before anything opened is a cancellation. The loader rejects with `aborted` only
 * then; for an open flow, it resolves with the result.
 */
export function resultOf(cause: unknown, aborted: boolean, opened: unknown): PaymentResult {
  const error = errorOf(cause);
  return aborted && (!opened || error.code === 'aborted')
    ? { status: 'canceled', by: 'merchant' }
    : { status: 'failed', error };
}

function errorOf(cause: unknown): EmbeddedPaymentError {
  if (cause instanceof EmbeddedPaymentError) return cause;
  if (!isLoaderError(cause)) return new EmbeddedPaymentError('flow_failed', 'Flow failed: see cause', cause);

  const { code, message, retryable, details } = cause;
  return new EmbeddedPaymentError(code, message, cause, retryable, details);
}
