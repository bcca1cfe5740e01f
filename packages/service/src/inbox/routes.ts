/** `POST /processor/events`: the processor's own webhook. The processor module verifies the sender. */
import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { ServiceError, unavailable } from '../core/error.js';
import type { Deps } from '../deps.js';
import { timeIn } from '../platform/clock.js';
import { inChunks } from '../platform/databases/records.js';
import type { RequestContext } from '../platform/http/around.js';
import { MAX_BODY_BYTES, readBytes } from '../platform/http/body.js';
import { json, successText } from '../platform/http/envelope.js';
import { withTimeout, limited } from '../platform/timeouts.js';
import { Slots } from '../platform/slots.js';
import { describeError } from '../platform/log/log.js';
import { nameOnly } from '../processor/calls.js';
import { readEvents } from '../processor/rules/response.js';
import type { EventDelivery, PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import { settleEvent } from './settle.js';
import type { StoredEvent } from './rules.js';

const PATH = '/processor/events';
/** Timeout of `receive`, real ms. */
const RECEIVE_LIMIT_MS = 10_000;
/** Events that a request settles. A bank's file can have thousands; the job settles the rest. */
const MAX_SETTLED = 100;
/** Events per transaction, because others wait for it. */
const MAX_STORED = 200;
/** Requests that store at the same time. */
const MAX_STORING = 2;

type Receive = NonNullable<PaymentProcessor['receive']>;

export function inboxRoutes(service: Deps, receive: Receive): Hono<RequestContext> {
  const routes = new Hono<RequestContext>();
  const storing = new Slots(MAX_STORING);
  routes.post(PATH, async (c) => {
    const deps = limited(service);
    const body = await readBytes(c.req.raw, MAX_BODY_BYTES);
    const { headers } = c.req.raw;
    const stored = await deps.waiting.run(PATH, async () => {
      const events = await receiveEvents(deps, receive, { headers, body });
      return storing.run(PATH, () => storeEvents(deps, events));
    });
    if (stored === null) throw unavailable(undefined, 'Too many events at once. Retry in a moment.');

    // Events are stored, so the job retries if this fails.
    for (const event of stored.slice(0, MAX_SETTLED))
      await settleEvent(deps, event).catch((error: unknown) =>
        deps.log.warn('Could not settle a processor event; will retry', {
          error: describeError(error),
        }),
      );
    return json(successText({}), 200);
  });
  return routes;
}

async function receiveEvents(
  { log }: Deps,
  receive: Receive,
  delivery: EventDelivery,
): Promise<ProcessorEvent[]> {
  const refuse = (): never => {
    throw new ServiceError('invalid', "The service's processor module did not accept this event.");
  };
  let received: unknown;
  try {
    received = await withTimeout(Promise.resolve(receive(delivery)), RECEIVE_LIMIT_MS, 'processor_timeout');
  } catch (error) {
    log.warn('The processor module rejected an event', { error: nameOnly(error) });
    refuse();
  }

  const events = readEvents(received);
  if (events !== null) return events;

  log.error('The processor module returned an invalid event');
  return refuse();
}

/** If it fails partway, the sender gets an error and resends all events. */
async function storeEvents(deps: Deps, events: readonly ProcessorEvent[]): Promise<StoredEvent[]> {
  const stored: StoredEvent[] = [];
  for (const some of inChunks(events, MAX_STORED)) stored.push(...(await storeSome(deps, some)));
  return stored;
}

function storeSome(deps: Deps, events: readonly ProcessorEvent[]): Promise<StoredEvent[]> {
  return deps.store.transaction(
    async (tx) => {
      const now = await timeIn(tx, deps);
      const stored = events.map((event) => ({ ...event, id: idOf(event), receivedAt: now, dueAt: now }));
      for (const event of stored) await tx.inbox.insert(event);
      return stored;
    },
    { repeatable: true },
  );
}

/** Replays get the same id. */
function idOf({ attemptId, refundId, reference, outcome, reason, amount, currency }: ProcessorEvent): string {
  return hash('sha256', JSON.stringify([attemptId, refundId, reference, outcome, reason, amount, currency]));
}
