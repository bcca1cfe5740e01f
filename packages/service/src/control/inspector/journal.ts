/** Recent activity in memory: ring buffers of events, requests and deliveries. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { defined } from '../../core/defined.js';
import {
  MAX_EVENTS,
  type Change,
  type FaultInput,
  type InspectorEvent,
  type RequestRecord,
  type WebhookTry,
} from '../../shared/inspector.js';
import type { DeliveryAttempt } from '../../webhooks/rules.js';
import type { Redaction } from './redaction.js';

const MAX_REQUESTS = 1_000;
/** Bytes of bodies, as sent and received. */
const MAX_BYTES = 32 * 2 ** 20;
const MAX_DELIVERIES = 1_000;
/** Per request. */
const MAX_CHANGES = 100;
/** Ids count up from the process's start in ms, so they increase across restarts. The page shows the last six digits. */
const IDS_PER_MS = 1_000;

export type NewEvent = Omit<InspectorEvent, 'id' | 'at' | 'clock'>;
export interface RecordedRequest extends Omit<RequestRecord, 'curl' | 'resendable'> {
  /** The unredacted body, only for resending. Absent if anything was redacted. */
  original?: { body: string; apiKey: string | null };
  bytes?: number;
}
type RecordedDelivery = WebhookTry & Pick<DeliveryAttempt, 'messageId'>;

export class Journal {
  readonly redact: Redaction;
  readonly #clock: { now(): number };
  readonly #requests = new Map<string, RecordedRequest>();
  readonly #running = new AsyncLocalStorage<RecordedRequest>();
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
        requestId: this.#running.getStore()?.id,
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

  /** Runs work for a request and records its writes as the request's changes. */
  during<T>(request: RecordedRequest, work: () => Promise<T>): Promise<T> {
    this.#requests.set(request.id, request);
    let total = 0;
    for (const { bytes = 0 } of this.#requests.values()) total += bytes;
    for (const [id, { bytes = 0 }] of this.#requests) {
      if (this.#requests.size <= MAX_REQUESTS && total <= MAX_BYTES) break;
      this.#requests.delete(id);
      total -= bytes;
    }
    return this.#running.run(request, work);
  }

  changed(changes: readonly Change[]): void {
    const request = this.#running.getStore();
    if (!request) return;

    for (const { fields, id, ...change } of changes.slice(0, MAX_CHANGES - request.changes.length))
      request.changes.push({
        ...change,
        id: this.redact.text(id),
        fields: fields.map(({ name, from, to }) => {
          const shown = (value: unknown) => (value === undefined ? value : this.redact.value(value, name));
          return defined({ name, from: shown(from), to: shown(to) });
        }),
      });
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
        answer: answer && this.redact.withoutNumbers(answer),
        error: error && this.redact.withoutNumbers(error),
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
