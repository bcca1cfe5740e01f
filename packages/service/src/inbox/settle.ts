/** Settles the processor's events, with the code that records its responses. */
import { defined } from '../core/defined.js';
import { isId } from '../core/page-ids.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import { settlePayment, type SettleContext } from '../payments/attempts.js';
import { reportPayment } from '../payments/charging.js';
import { canChange, contradicts, type Attempt, type AttemptResult } from '../payments/rules/attempt.js';
import type { ItemRunner } from '../platform/item-runner.js';
import type { LogFields } from '../platform/log/fields.js';
import { addReference } from '../processor/rules/operation.js';
import { readLookup, readRefund } from '../processor/rules/response.js';
import { settleRefund } from '../refunds/begin-refund.js';
import {
  canChange as canChangeRefund,
  contradicts as refundContradicts,
  type Refund,
} from '../refunds/rules.js';
import { blockReturned } from '../wallet/methods.js';
import { nextAttempt, type StoredEvent } from './rules.js';

type Parts = Pick<Deps, 'config' | 'store' | 'clock' | 'newId' | 'log' | 'metrics'>;

/** Settles due events. Resolves to the number settled. */
export function settleDueEvents(parts: Parts, runner: ItemRunner): Promise<number> {
  const { store, clock } = parts;
  return runner.each({
    find: (limit) => store.read((tx) => tx.inbox.due(clock.now(), limit)),
    limit: 100,
    about: aboutEvent,
    work: async (event) => {
      await settleEvent(parts, event);
      return true;
    },
  });
}

/**
 * `early`: the payment isn't known yet, so the event stays stored. All others remove it. `known`: a replay, or an older
 * event that arrives late. `contradicts`: someone must investigate.
 */
type SettleResult =
  | { readonly type: 'gone' | 'known' | 'early' | 'unknown' | 'contradicts' | 'invalid' }
  | { readonly type: 'settled'; readonly payment?: Attempt };

const PROBLEMS: Partial<Record<SettleResult['type'], string>> = {
  unknown: 'The processor reported a payment or refund that is still unknown after a day',
  contradicts: 'The processor reported an outcome that contradicts the recorded one',
  invalid: 'The processor reported an outcome, amount or currency that the payment or refund cannot have',
};

/** Settles and removes an event in one transaction, so that it counts once even if several processes try. */
export async function settleEvent(parts: Parts, stored: StoredEvent): Promise<void> {
  const { store, clock, newId, config, log } = parts;
  const context = { now: clock.now(), newId, config };
  const result = await store.transaction(
    async (tx): Promise<SettleResult> => {
      const event = await tx.inbox.get(stored.id);
      if (event === null) return { type: 'gone' };

      const settled = await settle(tx, event, context);
      const dueAt = settled === null ? nextAttempt(event, context.now) : null;
      if (dueAt === null) await tx.inbox.remove(event.id);
      else await tx.inbox.postpone(event.id, dueAt);
      return settled ?? { type: dueAt === null ? 'unknown' : 'early' };
    },
    { repeatable: true },
  );

  if (result.type === 'settled' && result.payment) reportPayment(parts, result.payment);
  const problem = PROBLEMS[result.type];
  if (problem !== undefined) log.error(problem, { job: 'receive', ...aboutEvent(stored) });
}

/** Resolves to null if the payment or refund isn't known (yet). */
async function settle(tx: StoreTx, event: StoredEvent, context: SettleContext): Promise<SettleResult | null> {
  const { attemptId, refundId, reference = '' } = event;
  if (refundId === undefined) {
    const { attempts } = tx;
    const payment = await (attemptId === undefined
      ? attempts.byReference(reference)
      : attempts.get(attemptId));
    if (payment)
      return settlePaymentEvent(tx, payment, event, { ...context, hasEvents: true, byEvent: true });
    if (attemptId !== undefined) return null;
  }

  const refund = await (refundId === undefined
    ? tx.refunds.byReference(reference)
    : tx.refunds.get(refundId));
  return refund && settleRefundEvent(tx, refund, event, context);
}

async function settlePaymentEvent(
  tx: StoreTx,
  payment: Attempt,
  event: StoredEvent,
  context: SettleContext,
): Promise<SettleResult> {
  const result = readLookup(event, payment.amount);
  if (result === null || result.outcome === 'never_seen') return { type: 'invalid' };

  const { status } = payment;
  // Money that was taken and then declined was returned, even if the processor calls it declined.
  const wasTaken = status === 'succeeded' && result.outcome === 'declined';
  const outcome: AttemptResult['outcome'] = wasTaken ? 'returned' : result.outcome;
  const isLate = outcome === status || (status === 'succeeded' && outcome === 'pending');
  if (isLate || !canChange(payment, { outcome })) {
    const type = contradicts(status, result.outcome) ? 'contradicts' : 'known';
    // even if the payment was declined, its account must not be debited again.
    if (outcome === 'returned')
      await blockReturned(tx, { ...payment, ...defined({ reason: result.reason }) }, context.now);
    else if (type === 'known') await addReference(tx.attempts, payment, result);
    return { type };
  }

  const settled = await settlePayment(tx, payment, { ...result, outcome }, context);
  return { type: 'settled', ...(settled && { payment: settled }) };
}

async function settleRefundEvent(
  tx: StoreTx,
  refund: Refund,
  event: StoredEvent,
  context: SettleContext,
): Promise<SettleResult> {
  const payment = await tx.attempts.get(refund.attemptId);
  const result = payment && readRefund(event, refund.amount);
  if (!result) return { type: 'invalid' };

  if (result.outcome !== refund.status && canChangeRefund(refund, result)) {
    await settleRefund(tx, { id: refund.id, sessionId: payment.sessionId }, result, context);
    return { type: 'settled' };
  }
  if (refundContradicts(refund.status, result.outcome)) return { type: 'contradicts' };

  await addReference(tx.refunds, refund, result);
  return { type: 'known' };
}

function aboutEvent({ attemptId, refundId, outcome, reference }: StoredEvent): LogFields {
  return defined({
    paymentId: isId(attemptId) ? attemptId : undefined,
    refundId: isId(refundId) ? refundId : undefined,
    outcome,
    // The payment may be unknown, so the reference hasn't been checked for its card number.
    reference: reference?.replace(/\d(?:[^\p{L}\p{N}]*\d){8,}/gu, '[number]'),
  });
}
