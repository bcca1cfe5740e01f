/** Adds data that processes of release 0.3 don't write, before and during the upgrade. */
import { dayIn } from '../core/day.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import type { ItemRunner } from '../platform/item-runner.js';
import { timeZoneOf } from '../webhooks/served-units.js';
import { blockReturned } from '../wallet/methods.js';
import { bookPayment, bookRefund, recordPayment } from './book.js';
import { isDisputed } from './rules.js';

const BATCH_SIZE = 100;

type Parts = Pick<Deps, 'store' | 'clock' | 'config'>;

/**
 * Resolves once everything is backfilled or the process stops. During the first run, entries get the day of their
 * payment or refund. Later, they get the current day, because the books of earlier months may be closed.
 */
export async function backfill(parts: Parts, runner: ItemRunner, signal: AbortSignal): Promise<void> {
  const { store } = parts;
  const paymentsOf = (find: (tx: StoreTx, limit: number) => Promise<{ readonly id: string }[]>) => () =>
    runner.each({
      find: (limit) => store.read((tx) => find(tx, limit)),
      limit: BATCH_SIZE,
      about: ({ id }) => ({ paymentId: id }),
      work: ({ id }) => store.transaction((tx) => backfillPayment(tx, id, parts)),
    });
  const begun = paymentsOf((tx, limit) => tx.attempts.begunIn03(limit));
  const settled = paymentsOf((tx, limit) => tx.attempts.unbooked(limit));
  const refunds = () =>
    runner.each({
      find: (limit) => store.read((tx) => tx.refunds.unbooked(limit)),
      limit: BATCH_SIZE,
      work: ({ id }) => store.transaction((tx) => backfillRefund(tx, id, parts)),
    });

  for (const round of [begun, settled, refunds]) while (!signal.aborted && (await round()) > 0);
  if (signal.aborted || (await store.read(isLedgerComplete))) return;

  await store.transaction((tx) => tx.meta.set('ledger', 'complete'));
}

/** False after an upgrade until the older release's payments are booked. */
export async function isLedgerComplete(tx: StoreTx): Promise<boolean> {
  return (await tx.meta.get('ledger')) !== 'incomplete';
}

/** Whether this release has recorded all of a business unit's payments. Until then, AutoPay waits. */
export async function isBackfilled(tx: StoreTx, businessUnit: string): Promise<boolean> {
  return (await isLedgerComplete(tx)) && !(await tx.attempts.needsBackfill(businessUnit));
}

async function backfillPayment(tx: StoreTx, id: string, parts: Parts): Promise<boolean> {
  const attempt = await tx.attempts.get(id);
  if (attempt === null || attempt.booked === attempt.status) return true;

  const session = await tx.sessions.get(attempt.sessionId);
  if (attempt.status === 'returned') {
    await blockReturned(tx, attempt, parts.clock.now());
    if (!(await isDisputed(tx.ledger, attempt))) await tx.accountPayments.remove(id);
  }
  const date = await dateOf(tx, attempt.businessUnit, attempt.answeredAt ?? attempt.createdAt, parts);
  // Older releases didn't record a success before a return. Without refunds, the two add up to zero.
  const hadSucceeded = attempt.refunded > 0;
  await recordPayment(tx, await bookPayment(tx, attempt, session, { date, hadSucceeded }));
  return true;
}

async function backfillRefund(tx: StoreTx, id: string, parts: Parts): Promise<boolean> {
  const refund = await tx.refunds.get(id);
  if (refund?.status !== 'succeeded' || refund.booked === refund.status) return true;

  const date = await dateOf(tx, refund.businessUnit, refund.createdAt, parts);
  const booked = await bookRefund(tx, refund, date);
  if (booked.booked === undefined) throw new Error('The payment of this refund is not booked.');

  await tx.refunds.update(booked);
  return true;
}

async function dateOf(tx: StoreTx, slug: string, at: number, { clock, config }: Parts): Promise<string> {
  const isComplete = await isLedgerComplete(tx);
  return dayIn(isComplete ? clock.now() : at, await timeZoneOf(tx, config, slug));
}
