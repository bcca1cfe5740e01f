// Decides which flow an SDK's event belongs to. Few SDKs put the session's id into their events. An event without an id
// belongs to the only flow that can still report one. A late event of an earlier flow never decides the result of
// another flow.
import { attempt } from './attempt.js';
import type { FlowEvent } from './sdk.js';

/** A flow that receives its SDK's events. */
export interface Recipient {
  readonly url: string;
  /** The session's id in the SDK's events. */
  id?: string | undefined;
  /** The flow has left the page, but may still get events. */
  isGone: boolean;
  isClosed: boolean;
  isInFlight: boolean;
  hasVerdict: boolean;
  receive(type: FlowEvent['type'], detail: unknown): void;
}

interface Emitter {
  on?(type: string, handler: (payload: unknown) => void): unknown;
}

const MAX_RECIPIENTS = 20;
/** Events that decide how a flow ends. */
const VERDICTS: readonly FlowEvent['type'][] = ['completed', 'expired', 'error'];
const REPORTED: readonly FlowEvent['type'][] = ['ready', 'processing', ...VERDICTS, 'closed'];

export class EventRouter {
  /** Oldest first. */
  #recipients: Recipient[] = [];
  #unsubscribers: unknown[] = [];

  /** Adds a flow and subscribes again: an SDK may drop its listeners when a flow ends. */
  add(sdk: Emitter, recipient: Recipient): void {
    // The oldest recipients no longer wait for late events.
    this.#recipients = [...this.#recipients.slice(-MAX_RECIPIENTS), recipient];

    // Unsubscribe first: an SDK with one listener per event would drop the new one.
    for (const off of this.#unsubscribers as (() => void)[]) attempt(() => off?.call?.(sdk));

    const unsubscribers: unknown[] = [];
    for (const type of REPORTED) {
      // An SDK may throw for an event name that it does not know.
      const off = attempt(() =>
        sdk.on?.(type, (payload) => {
          if (this.#unsubscribers === unsubscribers) this.#route(type, payload);
        }),
      );
      unsubscribers.push(off);
    }

    // Assigned last, because some SDKs replay their last event on subscription, which belongs to an earlier flow.
    this.#unsubscribers = unsubscribers;
  }

  #route(type: FlowEvent['type'], payload: unknown): void {
    const { type: name, sessionId: id, detail } = Object(payload) as Partial<FlowEvent>;
    const recipient = this.#recipientOf(type, id);
    if (!recipient) return;

    recipient.id = id ?? recipient.id;
    if (type === 'ready' || type === 'processing') recipient.isInFlight = type === 'processing';
    recipient.isClosed ||= type === 'closed';
    recipient.hasVerdict ||= VERDICTS.includes(type);
    // Other SDKs pass the detail itself, which may have a type of its own.
    if (!recipient.isGone) recipient.receive(type, name === type ? detail : (detail ?? payload));
  }

  #recipientOf(type: FlowEvent['type'], id: string | undefined): Recipient | undefined {
    const named = this.#recipients.filter((each) => id && isNamed(each, id)).pop();
    if (named) return named;

    const [live, another] = this.#recipients.filter(({ isGone }) => !isGone);
    const late = this.#recipients.find((each) => each.isGone && mustReport(each, type));
    const recipient = late ?? live;

    // With several live flows, each has its own promise. A recipient with another id is another flow.
    return another || (id && recipient?.id) ? undefined : recipient;
  }
}

const isNamed = ({ id, url }: Recipient, name: string) => id === name || url.split(/[^\w.~-]/).includes(name);

/** Whether a flow that has left the page still has to report this. */
const mustReport = ({ isClosed, isInFlight, hasVerdict }: Recipient, type: FlowEvent['type']) =>
  type === 'closed' ? !isClosed : VERDICTS.includes(type) && !hasVerdict && (!isClosed || isInFlight);
