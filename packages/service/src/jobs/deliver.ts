/** Delivers webhooks from the outbox: signed by Standard Webhooks, retried on the clock. */
import { Webhook } from 'standardwebhooks';
import type { BusinessUnit } from '../config.js';
import type { Deps } from '../deps.js';
import { afterDelivery, DELIVERY_LEASE_MS } from '../domain/webhook.js';
import type { Delivery, OutboxMessage } from '../domain/webhook.js';
import { send } from './send.js';

/** Messages of one business unit that are delivered at once: its server's pace holds up no other's. */
const AT_ONCE = 8;
const MOST = 500;

export interface DeliverParts extends Pick<Deps, 'env' | 'config' | 'store' | 'clock' | 'log' | 'metrics'> {
  /** Ends deliveries in flight when the process stops; what was cut off is sent again later. */
  readonly signal: AbortSignal;
}

/** Delivers what is due; resolves how many messages were dealt with. */
export async function deliverDue(parts: DeliverParts): Promise<number> {
  const { store, clock } = parts;
  const due = await store.transaction((tx) => tx.outbox.due(clock.now(), Date.now(), MOST));
  const taken = new Map<string, number>();
  const next = due.filter(({ businessUnit }) => {
    const count = (taken.get(businessUnit) ?? 0) + 1;
    taken.set(businessUnit, count);
    return count <= AT_ONCE;
  });
  const dealtWith = await Promise.all(next.map(({ id }) => deliver(parts, id)));
  return dealtWith.filter(Boolean).length;
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
  const isDisabled = await store.transaction((tx) => tx.outbox.disabled(unit.slug, url));
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
