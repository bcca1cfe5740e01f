/** Sends refunds to the processor. */
import { settleRefund } from './begin-refund.js';
import { readRefund } from '../processor/rules/answer.js';
import { given } from '../core/given.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { Refund } from './rules.js';
import { createProcessorCalls } from '../processor/calls.js';
import type { ProcessorCalls, Kind, Work } from '../processor/calls.js';
import { timeZoneOf } from '../platform/config/config.js';
import { contextOf } from '../payments/context.js';
import type { ChargingParts } from '../payments/charging.js';

export interface Refunding extends ProcessorCalls<Refund> {
  /** False if the processor has no `refund`. */
  readonly possible: boolean;
}

/** Time limit of a refund call, real ms. After that it is retried. */
const REFUND_LIMIT_MS = 60_000;

export function createRefunding(parts: ChargingParts): Refunding {
  const { processor } = parts;
  const possible = typeof processor?.refund === 'function';
  return { possible, ...createProcessorCalls(parts, possible ? (of) => refunds(of, processor) : null) };
}

/** A refund repeats the same call under the same id until it has an outcome. */
function refunds(parts: ChargingParts, by: PaymentProcessor): Kind<Refund> {
  const { config, store, clock, newId } = parts;
  const ask: Work<Refund> = async (refund, { put, postpone }) => {
    const payment = await store.read((tx) => tx.attempts.get(refund.attemptId));
    if (payment === null) return postpone(refund);
    const { id: refundId, amount, why } = refund;
    return put({
      row: refund,
      what: 'refund',
      sessionId: payment.sessionId,
      limitMs: REFUND_LIMIT_MS,
      ask: async () => {
        const context = await contextOf(payment, parts);
        return by.refund?.({ refundId, attemptId: payment.id, amount, ...given({ reason: why }), context });
      },
      heard: (said) => {
        const answer = readRefund(said, payment.source.last4);
        if (answer === null) return null;
        const timeZone = timeZoneOf(config, refund.businessUnit);
        const at = { now: clock.now(), newId, timeZone };
        return store
          .transaction((tx) => settleRefund(tx, refundId, answer, at), { repeatable: true })
          .then((settled) => settled ?? refund);
      },
    });
  };
  return {
    job: 'refund',
    rows: (tx) => tx.refunds,
    about: ({ attemptId }) => ({ paymentId: attemptId }),
    first: ask,
    again: ask,
  };
}
