import type { FlowResult } from '@embedded-sessions/loader';
import type { FlowState } from '../messages.js';

export type ClosedBy = 'payer' | 'merchant';

/** How a close is decided, from what the page last said and whether it answered when it was asked. */
export interface Closing {
  by: ClosedBy;
  /** What the page said before. */
  verdict: FlowResult | null;
  /** The page's answer to `close`; null when none came. */
  answer: FlowState | null;
  /** Since the page first said `processing`, in ms; null when it did not. */
  processingForMs: number | null;
}

/** A frame that died in the middle of a payment must not hold its payer for ever. */
export const HOLD_MS = 60_000;

/** The result to settle with, or `held` where the payer must wait for a payment in flight. */
export function closeOutcome({ by, verdict, answer, processingForMs }: Closing): FlowResult | 'held' {
  if (verdict !== null) return verdict;
  if (answer === 'form') return { status: 'canceled', by };
  const inFlight = answer === 'processing' || (answer === null && processingForMs !== null);
  if (inFlight && by === 'payer' && (processingForMs ?? 0) < HOLD_MS) return 'held';
  return { status: 'unknown' };
}
