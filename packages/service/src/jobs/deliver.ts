/** Delivers webhooks from the outbox: signed by Standard Webhooks, retried on the clock. */
import { Webhook } from 'standardwebhooks';
import type { BusinessUnit } from '../runtime/config.js';
import type { Deps } from '../deps.js';
import { afterDelivery, DELIVERY_LEASE_MS } from '../domain/outbox.js';
import type { Delivery, OutboxMessage } from '../domain/outbox.js';
import { send } from './send.js';

/** Messages of one business unit that are delivered at once. */
const AT_ONCE = 8;
/** Business units that are delivered to at once. */
const MOST_UNITS = 64;

export interface DeliverParts extends Pick<Deps, 'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics'> {
  /** Ends deliveries in flight when the process stops; what was cut off is sent again later. */
  readonly signal: AbortSignal;
}

export interface Deliveries {
  /** Begins to deliver what is due, and waits for none of it. */
  begin(): Promise<void>;
  /** Delivers what is due, and what becomes due by that; resolves when nothing is any more. */
  untilNothingIsDue(): Promise<void>;
  /** Resolves when nothing is being delivered. */
  idle(): Promise<void>;
}

/**
 * Each business unit has a queue of its own: its server's pace holds up no other's.
 * @param run what becomes of an error; it resolves 0 then
 */
export function createDeliveries(
  parts: DeliverParts,
  run: (job: () => Promise<number>) => Promise<number>,
): Deliveries {
  const { store, clock } = parts;
  const queues = new Map<string, Promise<number>>();
  const queueOf = (unit: string): Promise<number> => {
    const begun = queues.get(unit) ?? run(() => deliverUnit(parts, unit)).finally(() => queues.delete(unit));
    queues.set(unit, begun);
    return begun;
  };
  let asked: Promise<unknown> = Promise.resolve();
  const beginDue = (): Promise<Promise<number>[]> => {
    const asking = askAndBegin();
    asked = Promise.all([asked, asking]);
    return asking;
  };
  const askAndBegin = async (): Promise<Promise<number>[]> => {
    const begun: Promise<number>[] = [];
    await run(async () => {
      const units = await store.read((tx) => tx.outbox.unitsDue(clock.now(), Date.now()));
      for (const unit of units) if (queues.has(unit) || queues.size < MOST_UNITS) begun.push(queueOf(unit));
      return units.length;
    });
    return begun;
  };
  const idle = async (): Promise<void> => {
    await asked;
    await Promise.all(queues.values());
  };
  return {
    begin: async () => void (await beginDue()),
    untilNothingIsDue: async () => {
      // What began before the clock moved may not have seen what is due now.
      await idle();
      for (let dealtWith = [1]; dealtWith.some((count) => count > 0);)
        dealtWith = await Promise.all(await beginDue());
    },
    idle,
  };
}

/** Resolves how many messages were dealt with when there is nothing due any more. */
async function deliverUnit(parts: DeliverParts, unit: string): Promise<number> {
  const { store, clock, signal } = parts;
  for (let total = 0; ;) {
    if (signal.aborted) return total;
    const due = await store.read((tx) => tx.outbox.due(unit, clock.now(), Date.now(), AT_ONCE));
    const dealtWith = await Promise.all(due.map((id) => deliver(parts, id)));
    const count = dealtWith.filter(Boolean).length;
    if (count === 0) return total;
    total += count;
  }
}

async function deliver(parts: DeliverParts, id: string): Promise<boolean> {
  const { config, store, clock, log } = parts;
  const claimed = await claim(parts, id);
  if (claimed === null) return false;
  const unit = config.businessUnits.find(({ slug }) => slug === claimed.businessUnit);
  if (!unit?.webhook) {
    await store.transaction((tx) => tx.outbox.remove(id));
    return true;
  }
  const { url } = unit.webhook;
  const isDisabled = await store.read((tx) => tx.outbox.disabled(unit.slug, url));
  const delivery: Delivery = isDisabled
    ? { type: 'answered', status: 410 }
    : await attempt(parts, unit.webhook, claimed);
  if (parts.signal.aborted) return false;
  const now = clock.now();
  const after = isDisabled
    ? {
        ...claimed,
        leasedUntil: 0,
        status: 'disabled' as const,
        dueAt: now,
        lastError: 'The endpoint had answered 410.',
      }
    : afterDelivery(claimed, delivery, now);
  parts.metrics?.webhook(after.status);
  if (after.status !== 'delivered') {
    log.warn('A webhook was not delivered', {
      job: 'deliver',
      businessUnit: unit.slug,
      count: after.attempts,
      codes: [after.status, ...(after.lastError === undefined ? [] : [after.lastError])],
    });
  }
  await store.transaction(async (tx) => {
    await tx.outbox.update(after);
    if (after.status === 'disabled' && !isDisabled) await tx.outbox.disable(unit.slug, url, now);
  });
  return true;
}

/** Takes the message for as long as a delivery can last: another process finds it not due. */
async function claim({ store, clock }: DeliverParts, id: string): Promise<OutboxMessage | null> {
  const now = clock.now();
  return store.transaction(async (tx) => {
    const message = await tx.outbox.get(id);
    const systemNow = Date.now();
    if (message?.status !== 'pending' || message.dueAt > now || message.leasedUntil > systemNow) return null;
    await tx.outbox.update({ ...message, leasedUntil: systemNow + DELIVERY_LEASE_MS });
    return message;
  });
}

function attempt(
  { env, signal }: DeliverParts,
  { url, secrets }: NonNullable<BusinessUnit['webhook']>,
  message: OutboxMessage,
): Promise<Delivery> {
  // Receivers compare this with their own time, which a moved clock has no part in.
  const sentAt = new Date();
  const signatures = secrets.map((secret) => new Webhook(secret).sign(message.id, sentAt, message.body));
  return send({
    url,
    body: message.body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'embedded-sessions',
      'webhook-id': message.id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    },
    publicOnly: env === 'production',
    signal,
  });
}
