/** What a service did of late, in memory and nowhere else: a ring of events, and one of requests. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Change, InspectorEvent, RequestRecord } from '../../shared/inspector.js';

const MOST_EVENTS = 10_000;
const MOST_REQUESTS = 1_000;

export type NewEvent = Omit<InspectorEvent, 'id' | 'at' | 'clock'>;
type Kept = Omit<RequestRecord, 'curl' | 'typescript' | 'resendable'>;

export interface Journal {
  add(event: NewEvent): void;
  /** Those after this id, oldest first. */
  events(after?: number): InspectorEvent[];
  /** Calls back with every event from now on, until the returned function is called. */
  follow(listener: (event: InspectorEvent) => void): () => void;
  /** Runs work as what this request does: what is written meanwhile is its change. */
  during<T>(request: Kept, work: () => Promise<T>): Promise<T>;
  changed(changes: readonly Change[]): void;
  /** The request that runs here. */
  current(): Kept | undefined;
  requests(): Kept[];
  request(id: string): Kept | undefined;
}

export function createJournal(clock: { now(): number }): Journal {
  const events: InspectorEvent[] = [];
  const requests = new Map<string, Kept>();
  const listeners = new Set<(event: InspectorEvent) => void>();
  const running = new AsyncLocalStorage<Kept>();
  let last = 0;
  return {
    add: (event) => {
      const request = running.getStore();
      const told: InspectorEvent = {
        ...(request === undefined ? {} : { requestId: request.id }),
        ...event,
        id: ++last,
        at: new Date().toISOString(),
        clock: new Date(clock.now()).toISOString(),
      };
      events.push(told);
      if (events.length > MOST_EVENTS) events.splice(0, MOST_EVENTS / 10);
      for (const listener of listeners) listener(told);
    },
    events: (after = 0) => events.filter(({ id }) => id > after),
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    during: (request, work) => {
      requests.set(request.id, request);
      const [oldest] = requests.keys();
      if (requests.size > MOST_REQUESTS && oldest !== undefined) requests.delete(oldest);
      return running.run(request, work);
    },
    changed: (changes) => running.getStore()?.changes.push(...changes),
    current: () => running.getStore(),
    requests: () => [...requests.values()].toReversed(),
    request: (id) => requests.get(id),
  };
}

export type { Kept };
