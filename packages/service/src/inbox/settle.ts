/** Settles the processor's events through the code that records its responses. */
import { isId } from '../core/page-ids.js';
import type { TxContext } from '../core/tx-context.js';
import type { StoreTx } from '../core/store.js';
import type { Deps } from '../deps.js';
import { settlePayment } from '../payments/attempts.js';
import { reportPayment } from '../payments/charging.js';
import type { AttemptResult, Attempt } from '../payments/rules/attempt.js';
import type { ItemRunner } from '../platform/item-runner.js';
import { timeZoneOf } from '../platform/config/config.js';
import type { LogFields } from '../platform/log/fields.js';
import { readLookup, readRefund } from '../processor/rules/response.js';
import { settleRefund } from '../refunds/begin-refund.js';
import type { Refund } from '../refunds/rules.js';
import { effectOnPayment, effectOnRefund, nextTry, type WaitingEvent } from './rules.js';

type Parts = Pick<Deps, 'config' | 'store' | 'clock' | 'newId' | 'log' | 'metrics'>;

/** Settles due events. Resolves to their number. */
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

/** Result of an event. Only `early` keeps it: its payment is not known yet. */
type Result =
  | { readonly type: 'gone' | 'known' | 'early' | 'unknown' | 'contradicts' | 'invalid' }
  | { readonly type: 'settled'; readonly payment?: Attempt };

const PROBLEMS: Partial<Record<Result['type'], string>> = {
  unknown: 'The processor reported a payment or refund that is still unknown after a day',
  contradicts: 'The processor reported an outcome that contradicts the recorded one',
  invalid: 'The processor reported an outcome that a payment or refund cannot have',
};

/** Settles an event and removes it in one transaction, so that it counts once whichever process comes first. */
export async function settleEvent(parts: Parts, waiting: WaitingEvent): Promise<void> {
  const { store, clock, newId, log, metrics } = parts;
  const at = { now: clock.now(), newId };
  const result = await store.transaction(
    async (tx): Promise<Result> => {
      const event = await tx.inbox.get(waiting.id);
      if (event === null) return { type: 'gone' };

      const settled = await settle(tx, event, at, parts.config);
      const dueAt = settled === null ? nextTry(event, at.now) : null;
      if (dueAt === null) await tx.inbox.remove(event.id);
      else await tx.inbox.postpone(event.id, dueAt);
      return settled ?? { type: dueAt === null ? 'unknown' : 'early' };
    },
    { repeatable: true },
  );

  if (result.type === 'settled' && result.payment) reportPayment({ log, metrics }, result.payment);
  const problem = PROBLEMS[result.type];
  if (problem !== undefined) log.error(problem, { job: 'receive', ...aboutEvent(waiting) });
}

/** Null if the payment or refund is not known (yet). */
async function settle(
  tx: StoreTx,
  event: WaitingEvent,
  at: TxContext,
  config: Parts['config'],
): Promise<Result | null> {
  const found = await findSubject(tx, event);
  if (found === null) return null;

  const timeZone = timeZoneOf(config, (found.payment ?? found.refund).businessUnit);
  return found.payment
    ? settlePaymentEvent(tx, found.payment, event, { ...at, timeZone, hasEvents: true, byEvent: true })
    : settleRefundEvent(tx, found.refund, event, { ...at, timeZone });
}

type Subject =
  | { readonly payment: Attempt; readonly refund?: never }
  | { readonly payment?: never; readonly refund: Refund };

async function findSubject(
  tx: StoreTx,
  { attemptId, refundId, reference = '' }: WaitingEvent,
): Promise<Subject | null> {
  const byReference = attemptId === undefined && refundId === undefined;
  if (attemptId !== undefined && refundId === undefined) {
    const payment = await tx.attempts.get(attemptId);
    return payment && { payment };
  }
  const payment = byReference ? await tx.attempts.byReference(reference) : null;
  if (payment) return { payment };

  const refund =
    refundId === undefined ? await tx.refunds.byReference(reference) : await tx.refunds.get(refundId);
  return refund && { refund };
}

async function settlePaymentEvent(
  tx: StoreTx,
  payment: Attempt,
  event: WaitingEvent,
  at: Parameters<typeof settlePayment>[3],
): Promise<Result> {
  const answer = readLookup(event, payment.source.last4);
  if (answer === null || answer.outcome === 'never_seen') return { type: 'invalid' };

  const effect = effectOnPayment(payment.status, answer.outcome);
  if (effect !== 'settles') return { type: effect };

  // Money that was taken and then declined was returned, whatever the processor calls it.
  const outcome: AttemptResult['outcome'] = payment.status === 'succeeded' ? 'returned' : answer.outcome;
  const settled = await settlePayment(tx, payment, { ...answer, outcome }, at);
  return { type: 'settled', ...(settled ? { payment: settled } : {}) };
}

async function settleRefundEvent(
  tx: StoreTx,
  refund: Refund,
  event: WaitingEvent,
  at: Parameters<typeof settleRefund>[3],
): Promise<Result> {
  const payment = await tx.attempts.get(refund.attemptId);
  const answer = readRefund(event, payment?.source.last4 ?? '');
  if (answer === null) return { type: 'invalid' };

  const effect = effectOnRefund(refund.status, answer.outcome);
  if (effect === 'settles') await settleRefund(tx, refund.id, answer, at);
  return { type: effect === 'settles' ? 'settled' : effect };
}

function aboutEvent({ attemptId, reference }: WaitingEvent): LogFields {
  return {
    ...(isId(attemptId) ? { paymentId: attemptId } : {}),
    // Not checked for the card number yet, because the payment may be unknown.
    ...(reference === undefined ? {} : { reference: reference.replace(/\d(?:[ -]?\d){8,}/g, '[number]') }),
  };
}
