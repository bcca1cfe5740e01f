/** `POST /integrations/payments/cancel`: cancels what a payer or, for AutoPay, the merchant has scheduled. */
import type { BackOfficeResponses } from '@embedded-sessions/server-types';
import { backOfficeCall } from '../api/back-office.js';
import type { Endpoint } from '../api/endpoint.js';
import { cancelScheduledCharge } from '../autopay/scheduled-charge.js';
import type { BackOfficeRequests } from '../core/requests.js';
import type { Deps } from '../deps.js';
import { cancelForMerchant } from './scheduling.js';

export function cancelPaymentEndpoint({
  newId,
}: Pick<Deps, 'newId'>): Endpoint<BackOfficeRequests['cancelPayment'], null> {
  return {
    ...backOfficeCall('cancelPayment'),
    idempotent: true,

    act: async (tx, { PaymentIdentifier: id }, context) => {
      const { unit } = context;
      const now = await context.now;
      const schedule = await tx.schedules.get(id);
      if (schedule?.businessUnit === unit.slug) await cancelForMerchant(tx, schedule, unit, { now, newId });
      else await cancelScheduledCharge(tx, unit, id, now);
      return null;
    },

    respond: (): BackOfficeResponses['cancelPayment'] => ({ Status: 'Canceled' }),
  };
}
