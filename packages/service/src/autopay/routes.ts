/** `POST /integrations/autopay/charge`. */
import type { BackOfficeResponses } from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import type { Deps } from '../deps.js';
import { AMOUNT_FIELD, awaitOutcome, backOfficeCall, idForRequest } from '../api/back-office.js';
import type { Endpoint } from '../api/endpoint.js';
import { ServiceError } from '../core/error.js';
import type { Attempt } from '../payments/rules/attempt.js';
import { beginAutopay } from './charge.js';
import { checkChargeOn } from './scheduled-charge.js';

export function chargeEndpoint({
  env,
  charging,
  processor,
}: Pick<Deps, 'env' | 'charging' | 'processor'>): Endpoint<
  BackOfficeRequests['charge'],
  { id: string; begun?: Attempt }
> {
  return {
    ...backOfficeCall('charge'),
    numbers: AMOUNT_FIELD,
    idempotent: true,

    act: async (tx, request, { unit, now, sessionId, repeated }) => {
      if (request.ChargeOn !== undefined) checkChargeOn(request.ChargeOn, unit.timeZone, await now);
      if (processor === null)
        throw new ServiceError('unavailable', 'This service has no payment processor, so it cannot charge.');

      const context = { env, unit, requestId: idForRequest('pay_', sessionId), repeated };
      const begun = await beginAutopay(tx, request, context, await now);
      return { id: begun.id, begun };
    },

    stored: ({ id }) => ({ id }),

    respond: async ({ id, begun }, context): Promise<BackOfficeResponses['charge']> => {
      const attempt = begun ?? (await context.store.read((tx) => tx.attempts.get(id)));
      if (attempt === null) throw new Error('A committed charge is missing from the database.');

      if (attempt.chargeOn !== undefined && attempt.status === 'scheduled')
        return { PaymentIdentifier: id, Status: 'Scheduled' };

      const isOwn = attempt.requestId === idForRequest('pay_', context.sessionId);
      const { status } = await awaitOutcome(charging, attempt, isOwn, context);
      return { PaymentIdentifier: id, Status: status === 'processing' ? 'pending' : status };
    },
  };
}
