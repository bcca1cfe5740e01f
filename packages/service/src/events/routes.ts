/** `POST /integrations/events`: a merchant's updates about its accounts (E-1 to E-5). */
import { EVENTS_ENDPOINT } from '@embedded-sessions/server-types';
import { readEventRequest, type ReadEvent } from '@embedded-sessions/server-types/schemas';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import { unenroll } from '../autopay/enrollment.js';
import { applyManageCustomer } from './manage-customer.js';
import type { Endpoint } from '../api/endpoint.js';

export function eventsEndpoint(deps: Deps): Endpoint<ReadEvent, null> {
  return {
    path: EVENTS_ENDPOINT,
    slugField: 'businessUnitSlug',
    idempotent: true,
    read: (body) => readEventRequest(body),
    act: async (tx, event, { unit, now }) => {
      switch (event.eventType) {
        case 'Accounts.ManageCustomer':
          await applyManageCustomer(tx, { businessUnit: unit.slug, newId: deps.newId }, event.payload);
          break;
        case 'Accounts.UnenrollAutopay': {
          const { accountNumber, subAccountNumber } = event.payload;
          const account = await tx.accounts.find(unit.slug, accountNumber, subAccountNumber);
          if (account === null)
            throw new ServiceError(
              'account_not_found',
              'No account has this accountNumber and subAccountNumber: check both. If it has no sub-account, send an empty subAccountNumber.',
              { field: 'payload.accountNumber' },
            );

          await unenroll(tx, account.id, { now: await now, newId: deps.newId });
          break;
        }
      }
      return null;
    },
    respond: () => ({}),
  };
}
