// What is known about how a flow ends, and the result that follows from it.
import type { FlowEvent, FlowResult } from './sdk.js';

export class Verdict {
  /** How the flow ended, if that has been reported. */
  reached: FlowResult | undefined;
  /** A payment was sent and its outcome is not known. */
  isInFlight = false;

  /** Records an event. Returns false if it is too late to change anything. */
  record({ type, ...rest }: FlowEvent): boolean {
    if (this.reached && !outranks(type, this.reached)) return false;

    if (type === 'completed') this.reached = { status: type, detail: undefined, ...rest };
    if (type === 'expired') this.reached = { status: type };
    if (type === 'processing') this.isInFlight = true;
    if (type === 'ready') this.isInFlight = false;
    // An expired session proves nothing about a payment that was sent.
    if (this.isInFlight && this.reached?.status === 'expired') this.reached = { status: 'unknown' };
    return true;
  }

  /** The flow's result, now that its SDK has returned `answer`. */
  resultOf(answer: FlowResult, closedBy: 'merchant' | undefined): FlowResult {
    const { reached } = this;
    // Only the SDK's result says what the payer wants next.
    const isFuller = answer.status === 'expired' || 'next' in answer;
    if (reached) return reached.status === answer.status && isFuller ? answer : reached;
    if (answer.status === 'canceled' && !this.isInFlight)
      return { ...answer, by: closedBy ?? answer.by ?? 'payer' };
    return { status: 'unknown' };
  }
}

/** The first verdict counts, except that a completed payment outranks an expired session. */
const outranks = (type: FlowEvent['type'], reached: FlowResult): boolean =>
  reached.status !== 'completed' && (type === 'completed' || type === 'processing');
