/** Recent activity, in memory only: ring buffers of events, requests and deliveries. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  MAX_EVENTS,
  type Change,
  type InspectorEvent,
  type RequestRecord,
  type WebhookTry,
} from '../../shared/inspector.js';
import type { Redaction } from './redaction.js';

const MAX_REQUESTS = 1_000;
const MAX_TRIES = 1_000;
/** Per request. */
const MAX_CHANGES = 100;
/**
 * Ids count up from the ms at which the process began, so they stay unique and increasing across restarts. The page shows
 * the last six digits.
 */
const IDS_A_MS = 1_000;

export type NewEvent = Omit<InspectorEvent, 'id' | 'at' | 'clock'>;
/** A request, redacted. */
export interface Kept extends Omit<RequestRecord, 'curl' | 'typescript' | 'resendable'> {
  /** The unredacted body, for resending only. Absent if something had to be left out. */
  original?: { body: string; apiKey: string | null };
}
type Try = WebhookTry & { webhookId: string };

export interface Journal {
  readonly redact: Redaction;
  add(event: NewEvent): void;
  /** Events after this id, oldest first. */
  events(after?: number): InspectorEvent[];
  /** Whether events after this id were dropped: it is older than the buffer, or from another process. */
  isGone(after: number): boolean;
  /** Calls back after every event until the returned function is called. */
  follow(listener: () => void): () => void;
  /** Ends all event streams, because shutdown would wait for them. */
  end(): void;
  hasEnded(): boolean;
  /** Runs work on behalf of a request and records its writes as that request's changes. */
  during<T>(request: Kept, work: () => Promise<T>): Promise<T>;
  changed(changes: readonly Change[]): void;
  requests(): Kept[];
  request(id: string): Kept | undefined;
  tried(attempt: Omit<Try, 'at' | 'clock'>): void;
  /** Oldest first. */
  tries(webhookId: string): WebhookTry[];
}

export function createJournal(clock: { now(): number }, redact: Redaction): Journal {
  let events: InspectorEvent[] = [];
  const tries: Try[] = [];
  const requests = new Map<string, Kept>();
  const listeners = new Set<() => void>();
  const running = new AsyncLocalStorage<Kept>();
  const before = Date.now() * IDS_A_MS;
  let last = before;
  let ended = false;
  const now = () => ({ at: new Date().toISOString(), clock: new Date(clock.now()).toISOString() });
  /** Ids are consecutive. */
  const first = (): number => last - events.length + 1;
  return {
    redact,
    add: ({ title, businessUnit, sessionId, ...event }) => {
      const request = running.getStore();
      events.push({
        ...(request === undefined ? {} : { requestId: request.id }),
        ...event,
        title: redact.text(title),
        ...(businessUnit === undefined ? {} : { businessUnit: redact.text(businessUnit) }),
        ...(sessionId === undefined ? {} : { sessionId: redact.text(sessionId) }),
        id: ++last,
        ...now(),
      });
      // In batches, because removing one at a time moves all others each time.
      if (events.length > MAX_EVENTS * 1.1) events = events.slice(-MAX_EVENTS);
      for (const listener of listeners) listener();
    },
    events: (after = 0) => events.slice(Math.max(0, after - first() + 1)),
    isGone: (after) => after < first() - 1 || after > last,
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end: () => {
      ended = true;
      for (const listener of listeners) listener();
    },
    hasEnded: () => ended,
    during: (request, work) => {
      requests.set(request.id, request);
      const [oldest] = requests.keys();
      if (requests.size > MAX_REQUESTS && oldest !== undefined) requests.delete(oldest);
      return running.run(request, work);
    },
    changed: (changes) => {
      const request = running.getStore();
      if (!request) return;

      for (const { fields, id, ...change } of changes.slice(0, MAX_CHANGES - request.changes.length))
        request.changes.push({
          ...change,
          id: redact.text(id),
          fields: fields.map(({ name, from, to }) => ({
            name,
            ...(from === undefined ? {} : { from: redact.value(from, name) }),
            ...(to === undefined ? {} : { to: redact.value(to, name) }),
          })),
        });
    },
    requests: () => [...requests.values()].toReversed(),
    request: (id) => requests.get(id),
    tried: ({ answer, error, ...attempt }) => {
      tries.push({
        ...attempt,
        ...now(),
        ...(answer === undefined ? {} : { answer: redact.word(answer) }),
        ...(error === undefined ? {} : { error: redact.word(error) }),
      });
      if (tries.length > MAX_TRIES) tries.shift();
    },
    tries: (id) => tries.filter(({ webhookId }) => webhookId === id),
  };
}
