/** `POST /integrations/payments/refund`. */
import { defined } from '../core/defined.js';
import type { BackOfficeResponses } from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import type { Deps } from '../deps.js';
import { AMOUNT_FIELD, awaitOutcome, backOfficeCall, idForRequest } from '../api/back-office.js';
import type { Endpoint } from '../api/endpoint.js';
import { beginRefund } from './begin-refund.js';
import type { Refund } from './rules.js';

export function refundEndpoint({
  refunding,
}: Pick<Deps, 'refunding'>): Endpoint<BackOfficeRequests['refund'], { id: string; begun?: Refund }> {
  return {
    ...backOfficeCall('refund'),
    numbers: AMOUNT_FIELD,
    idempotent: true,

    act: async (tx, { PaymentIdentifier, Amount, Reason }, { unit, now, sessionId, repeated }) => {
      const id = idForRequest('ref_', sessionId);
      if (repeated && (await tx.refunds.get(id))) return { id };

      const input = defined({
        id,
        businessUnit: unit.slug,
        paymentId: PaymentIdentifier,
        amount: Amount,
        why: Reason,
        canRefund: refunding.isPossible,
      });
      return { id, begun: await beginRefund(tx, input, await now) };
    },

    stored: ({ id }) => ({ id }),

    respond: async ({ id, begun }, context): Promise<BackOfficeResponses['refund']> => {
      const started = begun ?? (await context.store.read((tx) => tx.refunds.get(id)));
      if (started === null) throw new Error('A committed refund is missing from the database.');

      const isOwn = id === idForRequest('ref_', context.sessionId);
      const refund = await awaitOutcome(refunding, started, isOwn, context);
      return {
        RefundIdentifier: refund.id,
        PaymentIdentifier: refund.attemptId,
        Amount: refund.amount,
        Status: refund.status === 'processing' ? 'pending' : refund.status,
        Refundable: refund.status === 'failed' ? refund.leftOver + refund.amount : refund.leftOver,
        ...(refund.status === 'failed' && refund.reason !== undefined ? { Reason: refund.reason } : {}),
      };
    },
  };
}
