// Tracks what is known about a flow's outcome, and decides its result.
import type { FlowEvent, FlowResult } from './sdk.js';

export class Verdict {
  /** The reported outcome, if any. */
  reached: FlowResult | undefined;
  /** A payment was sent and its outcome is unknown. */
  isInFlight = false;

  /** Records an event. Returns false if it comes too late to change anything. */
  record({ type, ...rest }: FlowEvent): boolean {
    if (!changesVerdict(type, this.reached)) return false;

    if (type === 'completed') this.reached = { detail: undefined, ...rest, status: type };
    if (type === 'expired') this.reached = { status: type };
    if (type === 'processing') this.isInFlight = true;
    if (type === 'ready') this.isInFlight = false;
    // A payment that was sent may succeed even if the session has expired.
    if (this.isInFlight && this.reached?.status === 'expired') this.reached = { status: 'unknown' };
    return true;
  }

  /** The flow's result, after its SDK has returned `sdkResult`. */
  resultOf(sdkResult: FlowResult, closedBy: 'merchant' | undefined): FlowResult {
    const { reached } = this;
    // Only the SDK's result contains what the payer wants next.
    const hasDetails = sdkResult.status === 'expired' || 'next' in sdkResult;
    if (reached) return reached.status === sdkResult.status && hasDetails ? sdkResult : reached;
    if (sdkResult.status === 'canceled' && !this.isInFlight)
      return { ...sdkResult, by: closedBy ?? sdkResult.by ?? 'payer' };
    return { status: 'unknown' };
  }
}

const STATUSES: readonly FlowResult['status'][] = ['completed', 'canceled', 'expired', 'unknown'];

/** The status of an SDK's result, or undefined for any other value. */
export const statusOf = (value: unknown): FlowResult['status'] | undefined =>
  STATUSES.find((each) => each === Object(value).status);

/** The first verdict counts, except that a completed payment outranks an expired session. */
export const changesVerdict = (type: FlowEvent['type'], reached: FlowResult | undefined): boolean =>
  reached?.status !== 'completed' && (!reached || type === 'completed' || type === 'processing');
