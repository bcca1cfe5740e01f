import type { FlowResult } from '@embedded-sessions/loader';
import type { FlowState } from '../messages.js';

export type ClosedBy = 'payer' | 'merchant';

/** What a page may report that ends its flow. */
export type Verdict = Extract<FlowResult, { status: 'completed' | 'expired' }>;

/** The first verdict counts, except that a completed payment outranks an expired session. */
export const outranks = (next: Verdict, verdict: Verdict | null): boolean =>
  verdict === null || (verdict.status === 'expired' && next.status === 'completed');

/** What decides how a flow closes. */
export interface Closing {
  by: ClosedBy;
  /** What the page reported before. */
  verdict: FlowResult | null;
  /** The page's reply to `close`, or null without one. */
  answer: FlowState | null;
  /** Milliseconds since the page reported `processing`, or null if it did not. */
  processingForMs: number | null;
}

/** A frame that crashed during a payment must not hold the payer forever. */
export const HOLD_MS = 60_000;

/** The result to settle with. `held`: the payer must wait for a payment in flight. `asking`: the page asks the payer first. */
export function closeOutcome({
  by,
  verdict,
  answer,
  processingForMs,
}: Closing): FlowResult | 'held' | 'asking' {
  if (verdict !== null) return verdict;
  if (answer === 'asking') return answer;
  if (answer === 'form') return { status: 'canceled', by };

  const isInFlight = answer === 'processing' || (answer === null && processingForMs !== null);
  if (isInFlight && by === 'payer' && (processingForMs ?? 0) < HOLD_MS) return 'held';
  return { status: 'unknown' };
}

/** The result for a payer who asked for a new session, unless a payment may have been made. */
export const withRenewal = (result: FlowResult): FlowResult =>
  result.status === 'canceled' || result.status === 'expired' ? { ...result, renew: true } : result;
