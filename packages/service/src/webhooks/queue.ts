/** Takes webhooks for delivery, records the outcome and resends them for operators. */
import { applyDelivery, DELIVERY_LEASE_MS, type Delivery, type OutboxMessage } from './rules.js';
import type { Store, StoreTx } from '../core/store.js';
import { pauseSince } from '../platform/timeouts.js';

/** Messages per transaction. Few, because SQLite's other writers wait for it. */
const RECOVERY_BATCH_SIZE = 100;

/** Ms since the epoch, on the service's clock and on the system's, which leases use. */
export interface Times {
  readonly now: number;
  readonly systemNow: number;
}

export interface Taken {
  readonly taken: readonly OutboxMessage[];
  /** Not to be sent, because the address returned 410 earlier. */
  readonly disabled: readonly OutboxMessage[];
}

/** Leases due messages for as long as a delivery can last, so that no other process takes them. */
export async function takeDue(
  tx: StoreTx,
  businessUnit: string,
  url: string,
  { now, systemNow }: Times,
  limit: number,
): Promise<Taken> {
  const until = systemNow + DELIVERY_LEASE_MS;
  const [messages, isDisabled] = await Promise.all([
    tx.outbox.lease(businessUnit, { now, systemNow, until }, limit),
    tx.outbox.disabled(businessUnit, url),
  ]);
  if (!isDisabled) return { taken: messages, disabled: [] };

  const lastError = 'The endpoint returned 410 earlier.';
  const disabled = messages.map((message): OutboxMessage => ({
    ...message,
    status: 'disabled',
    dueAt: now,
    leasedUntil: 0,
    lastError,
  }));
  for (const message of disabled) await tx.outbox.updateLeased(message, until);
  return { taken: [], disabled };
}

/** Records a delivery. Resolves to null if another process has taken over the message. */
export async function recordDelivery(
  tx: StoreTx,
  taken: OutboxMessage,
  url: string,
  delivery: Delivery,
  now: number,
): Promise<OutboxMessage | null> {
  const after = applyDelivery(taken, delivery, now);
  if (!(await tx.outbox.updateLeased(after, taken.leasedUntil))) return null;

  if (after.status === 'disabled') await tx.outbox.disable(taken.businessUnit, url, now);
  return after;
}

/** A no-op if any process has a webhook for the business unit, because this one's config may be outdated. */
export async function deleteUnwanted(tx: StoreTx, businessUnit: string, limit: number): Promise<number> {
  return (await tx.outbox.hasReceiver(businessUnit)) ? 0 : tx.outbox.removePending(businessUnit, limit);
}

export async function giveUp(
  tx: StoreTx,
  businessUnit: string,
  due: Times,
  now: number,
  limit: number,
): Promise<number> {
  const messages = await tx.outbox.due(businessUnit, due.now, due.systemNow, limit);
  const lastError = 'No webhook is configured.';
  for (const message of messages)
    await tx.outbox.update({ ...message, status: 'failed', dueAt: now, lastError });
  return messages.length;
}

/** resends a message in any status and restarts its count of attempts. False if there is no such message. */
export async function resendWebhook(
  tx: StoreTx,
  businessUnit: string,
  id: string,
  now: number,
): Promise<boolean> {
  const message = await tx.outbox.get(id);
  if (message?.businessUnit !== businessUnit) return false;

  const { lastError: _, ...rest } = message;
  // Not `sendAgain`: the inspector shows updates.
  await tx.outbox.update({ ...rest, status: 'pending', attempts: 0, dueAt: now, leasedUntil: 0 });
  return true;
}

/**
 * resends all messages written at or after `since` (ms since the epoch), unless their first attempt is due. Receivers
 * recognize duplicates by `webhook-id`. Resolves to the number of messages.
 */
export async function recoverWebhooks(
  store: Pick<Store, 'transaction'>,
  businessUnit: string,
  since: number,
  now: (tx: StoreTx) => number | Promise<number>,
): Promise<number> {
  let total = 0;
  for (let next: string | undefined = ''; next !== undefined;) {
    const page = { after: next, size: RECOVERY_BATCH_SIZE };
    const begunAt = performance.now();
    const sent = await store.transaction(async (tx) => {
      const found = await tx.outbox.since(businessUnit, since, page);
      const tried = found.messages.filter(({ status, attempts }) => status !== 'pending' || attempts > 0);
      await tx.outbox.sendAgain(
        tried.map(({ id }) => id),
        await now(tx),
      );
      return { count: tried.length, next: found.next };
    });
    total += sent.count;
    next = sent.next;
    await pauseSince(begunAt);
  }
  return total;
}

/** re-enables a business unit's addresses. {@link recoverWebhooks} sends what they missed. */
export async function enableWebhooks(tx: StoreTx, businessUnit: string): Promise<string[]> {
  const disabled = await tx.outbox.disabledOf(businessUnit);
  await tx.outbox.enable(businessUnit);
  return disabled.map(({ url }) => url);
}
