import type { FlowResult } from '@embedded-sessions/loader';
import type { FlowState } from '../messages.js';

export type ClosedBy = 'payer' | 'merchant';

/** A report from the page that ends the flow. */
export type Verdict = Extract<FlowResult, { status: 'completed' | 'expired' }>;

/** The first verdict counts, except that a completed payment outranks an expired session. */
export const outranks = (next: Verdict, verdict: Verdict | null): boolean =>
  verdict === null || (verdict.status === 'expired' && next.status === 'completed');

/** The inputs that decide how a flow closes. */
export interface Closing {
  by: ClosedBy;
  /** What the page has reported so far. */
  verdict: FlowResult | null;
  /** The page's reply to `close`, or null without one. */
  reply: FlowState | null;
  /** Milliseconds since the page reported `processing`, or null if it did not. */
  processingForMs: number | null;
}

/** Limits how long a frame that crashed during a payment can hold the payer. */
export const HOLD_MS = 60_000;

/** Returns the result. `held`: the payer must wait for a payment in flight. `asking`: the page is asking the payer. */
export function closeOutcome({
  by,
  verdict,
  reply,
  processingForMs,
}: Closing): FlowResult | 'held' | 'asking' {
  if (verdict !== null) return verdict;
  if (reply === 'asking') return reply;
  if (reply === 'form') return { status: 'canceled', by };

  const isInFlight = reply === 'processing' || (reply === null && processingForMs !== null);
  if (isInFlight && by === 'payer' && (processingForMs ?? 0) < HOLD_MS) return 'held';
  return { status: 'unknown' };
}

/** Adds the payer's request for a new session to the result, unless a payment may have been made. */
export const withRenewal = (result: FlowResult): FlowResult =>
  result.status === 'canceled' || result.status === 'expired' ? { ...result, renew: true } : result;
