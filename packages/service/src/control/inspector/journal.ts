/** Recent activity in memory: ring buffers of events, requests and deliveries. */
import { defined } from '../../core/defined.js';
import { currentContext } from '../../platform/context.js';
import {
  MAX_EVENTS,
  type Change,
  type FaultInput,
  type InspectorEvent,
  type RequestLine,
  type WebhookTry,
} from '../../shared/inspector.js';
import type { DeliveryAttempt } from '../../webhooks/rules.js';
import type { Redaction } from './redaction.js';

const MAX_REQUESTS = 1_000;
const MAX_DELIVERIES = 1_000;
/** Of a request, as JSON. */
const MAX_CHANGES_LENGTH = 64 * 1024;
/** Ids count up from the process's start in ms, so they increase across restarts. The page shows the last six digits. */
const IDS_PER_MS = 1_000;

export type NewEvent = Omit<InspectorEvent, 'id' | 'at' | 'clock'>;
/** With JSON as text, because the objects take up to twenty times the memory. */
export interface RecordedRequest extends RequestLine {
  idempotencyKey?: string;
  body?: string;
  answer?: string;
  /** Each a list of changes. */
  readonly changes: string[];
}
type RecordedDelivery = WebhookTry & Pick<DeliveryAttempt, 'messageId'>;

export class Journal {
  readonly redact: Redaction;
  readonly #clock: { now(): number };
  readonly #requests = new Map<string, RecordedRequest>();
  readonly #deliveries: RecordedDelivery[] = [];
  #events: InspectorEvent[] = [];
  #last = Date.now() * IDS_PER_MS;

  constructor(clock: { now(): number }, redact: Redaction) {
    this.#clock = clock;
    this.redact = redact;
  }

  add({ title, businessUnit, sessionId, ...event }: NewEvent): void {
    this.#events.push(
      defined({
        requestId: this.current()?.id,
        ...event,
        title: this.redact.text(title),
        businessUnit: businessUnit && this.redact.text(businessUnit),
        sessionId: sessionId && this.redact.text(sessionId),
        id: ++this.#last,
        ...this.#now(),
      }),
    );
    // Remove in batches, because each removal moves all other items.
    if (this.#events.length > MAX_EVENTS * 1.1) this.#events = this.#events.slice(-MAX_EVENTS);
  }

  addFault(kind: FaultInput['kind'], path: string): void {
    const title = `Fault ${kind} hits ${path.replace(/^\/s\/[^/]+/, '/s/*')}`;
    this.add({ kind: 'fault', level: 'error', title });
  }

  /** Events after this id, oldest first. All of them if some after it are gone, or if it is from another process. */
  events(after = 0): InspectorEvent[] {
    // Ids increase by one.
    const place = this.#events.length - (this.#last - after);
    const isKnown = place >= 0 && place <= this.#events.length;
    return this.#events.slice(isKnown ? place : 0);
  }

  record(request: RecordedRequest): void {
    this.#requests.set(request.id, request);
    const [oldest = ''] = this.#requests.keys();
    if (this.#requests.size > MAX_REQUESTS) this.#requests.delete(oldest);
  }

  /** The record of the request that is being served. */
  current(): RecordedRequest | undefined {
    return this.#requests.get(currentContext().log.requestId ?? '');
  }

  /** Records what the current request has changed, unless that is too long to keep a thousand of. */
  changed(changes: readonly Change[]): void {
    const known = this.current()?.changes;
    if (!known || known.join().length + JSON.stringify(changes).length > MAX_CHANGES_LENGTH) return;
    known.push(JSON.stringify(this.redact.body(changes)));
  }

  requests(): RecordedRequest[] {
    return [...this.#requests.values()].toReversed();
  }

  request(id: string): RecordedRequest | undefined {
    return this.#requests.get(id);
  }

  recordDelivery({ answer, error, ...attempt }: DeliveryAttempt): void {
    this.#deliveries.push(
      defined({
        ...attempt,
        ...this.#now(),
        answer: answer && this.redact.content(answer),
        error: error && this.redact.text(error),
      }),
    );
    if (this.#deliveries.length > MAX_DELIVERIES) this.#deliveries.shift();
  }

  /** Oldest first. */
  deliveriesOf(webhookId: string): WebhookTry[] {
    return this.#deliveries.filter((attempt) => attempt.messageId === webhookId);
  }

  #now(): { at: string; clock: string } {
    return { at: new Date().toISOString(), clock: new Date(this.#clock.now()).toISOString() };
  }
}
