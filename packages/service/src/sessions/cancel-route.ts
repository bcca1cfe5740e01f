/** `POST /integrations/embedded/cancel`. */
import type { BackOfficeResponses } from '@embedded-sessions/server-types';
import type { BackOfficeRequests } from '../core/requests.js';
import type { Deps } from '../deps.js';
import { backOfficeCall } from '../api/back-office.js';
import type { Endpoint } from '../api/endpoint.js';
import { cancelSession } from './cancel.js';

export function cancelEndpoint({ newId }: Pick<Deps, 'newId'>): Endpoint<BackOfficeRequests['cancel'], null> {
  return {
    ...backOfficeCall('cancel'),
    idempotent: true,

    act: async (tx, { PaymentSessionIdentifier }, { unit, now }) => {
      await cancelSession(tx, unit.slug, PaymentSessionIdentifier, { now: await now, newId });
      return null;
    },

    respond: (): BackOfficeResponses['cancel'] => ({ Status: 'Canceled' }),
  };
}
