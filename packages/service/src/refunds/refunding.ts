/** Sends refunds to the processor. */
import { settleRefund } from './begin-refund.js';
import { readRefund, reasonCodes } from '../processor/rules/response.js';
import { defined } from '../core/defined.js';
import type { StoreTx } from '../core/store.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { contradicts, type Refund } from './rules.js';
import { ProcessorCalls, type ProcessorCallsParts } from '../processor/calls.js';
import { contextOf } from '../payments/context.js';
import type { ProcessorResult, RefundOutcome } from '../processor/rules/port.js';

const REFUND_LIMIT_MS = 60_000;

export class Refunding extends ProcessorCalls<Refund> {
  constructor(parts: ProcessorCallsParts) {
    super(parts, 'refund');
  }

  get isPossible(): boolean {
    return typeof this.parts.processor?.refund === 'function';
  }

  protected rows(tx: StoreTx): StoreTx['refunds'] {
    return tx.refunds;
  }

  protected about({ attemptId }: Refund): { paymentId: string } {
    return { paymentId: attemptId };
  }

  protected firstCall(refund: Refund): Promise<Refund> {
    return this.retryCall(refund);
  }

  protected async retryCall(refund: Refund): Promise<Refund> {
    const payment = await this.parts.store.read((tx) => tx.attempts.get(refund.attemptId));
    if (payment === null) return this.postpone(refund);
    if (refund.status === 'processing' && payment.status === 'returned') return this.#awaitOperator(refund);

    return this.call({
      row: refund,
      operation: 'refund',
      sessionId: payment.sessionId,
      limitMs: REFUND_LIMIT_MS,
      send: () => this.#send(refund, payment),
      record: (response) => {
        const refunded = readRefund(response, refund.amount);
        return refunded && this.#settle(refund, payment, refunded);
      },
    });
  }

  async #send({ id: refundId, amount, why }: Refund, payment: Attempt): Promise<unknown> {
    const context = await contextOf(payment, this.parts);
    return this.parts.processor?.refund?.({
      refundId,
      attemptId: payment.id,
      amount,
      ...defined({ reason: why }),
      context,
    });
  }

  /**
   * The bank has returned the money. An earlier call may have arrived; if it didn't, another would refund the payment,
   * so only an event or a person can tell.
   */
  #awaitOperator(refund: Refund): Promise<Refund> {
    const { log, metrics } = this.parts;
    log.error(
      'A refund has no outcome and is not sent again, because its payment was returned: look it up at the processor',
      { ...this.about(refund), refundId: refund.id },
    );
    metrics?.jobFailed('refund');
    return this.postpone(refund);
  }

  async #settle(refund: Refund, payment: Attempt, result: ProcessorResult<RefundOutcome>): Promise<Refund> {
    const { config, store, clock, newId, log } = this.parts;
    const context = { now: clock.now(), newId, config, isResponse: result.outcome !== 'failed' };
    const settling = { id: refund.id, sessionId: payment.sessionId };
    const settled =
      (await store.transaction((tx) => settleRefund(tx, settling, result, context), { repeatable: true })) ??
      refund;
    if (contradicts(settled.status, result.outcome))
      log.error('The processor returned an outcome that contradicts the recorded one', {
        ...this.about(refund),
        outcome: result.outcome,
      });
    else if (settled.status !== refund.status) this.#report(settled, payment);
    return settled;
  }

  #report({ status, reason }: Refund, { id: paymentId, sessionId, businessUnit }: Attempt): void {
    const about = { paymentId, sessionId, businessUnit, outcome: status, ...reasonCodes(reason) };
    this.parts.log.info('Refund outcome recorded', about);
  }
}
