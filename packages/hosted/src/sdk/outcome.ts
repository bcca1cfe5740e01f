import type { FlowResult } from '@embedded-sessions/loader';
import type { FlowState } from '../messages.js';

export type ClosedBy = 'payer' | 'merchant';

/** A report from the page that ends the flow. */
export type Verdict = Extract<FlowResult, { status: 'completed' | 'expired' }>;

/** The inputs that decide how a flow without a verdict closes. */
export interface Closing {
  by: ClosedBy;
  /** The page's reply to `close`, or null without one. */
  reply: FlowState | null;
  /** A payment has been in flight for less than {@link HOLD_MS}. */
  isHeld: boolean;
}

/** Limits how long a frame that crashed during a payment can hold the payer. */
export const HOLD_MS = 60_000;

/** Returns the result. `held`: the payer must wait for a payment in flight. `asking`: the page is asking the payer. */
export function closeOutcome({ by, reply, isHeld }: Closing): FlowResult | 'held' | 'asking' {
  if (reply === 'asking') return reply;
  if (reply === 'form') return { status: 'canceled', by };
  return isHeld && by === 'payer' ? 'held' : { status: 'unknown' };
}

/** Adds the payer's request for a new session to the result, unless a payment may have been made. */
export const withRenewal = (result: FlowResult): FlowResult =>
  result.status === 'canceled' || result.status === 'expired' ? { ...result, renew: true } : result;
