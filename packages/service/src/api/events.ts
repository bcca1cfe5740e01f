/** `POST /integrations/events`: what a merchant tells of its accounts (E-1 to E-5). */
import { EVENTS_ENDPOINT, type ManageCustomerPayload } from '@embedded-sessions/server-types';
import { readEventRequest, type ReadEvent } from '@embedded-sessions/server-types/schemas';
import type { Deps } from '../deps.js';
import { manageCustomer } from '../domain/customer.js';
import { ServiceError } from '../domain/error.js';
import { unenroll } from '../domain/flows/autopay.js';
import type { StoreTx } from '../domain/store.js';
import type { Endpoint } from './endpoint.js';

export function eventsEndpoint(deps: Deps): Endpoint<ReadEvent, null> {
  return {
    path: EVENTS_ENDPOINT,
    slugField: 'businessUnitSlug',
    idempotent: true,
    read: (body) => readEventRequest(body),
    act: async (tx, event, { unit, now }) => {
      switch (event.eventType) {
        case 'Accounts.ManageCustomer':
          await applyManageCustomer(deps, tx, unit.slug, event.payload);
          break;
        case 'Accounts.UnenrollAutopay': {
          const { accountNumber, subAccountNumber } = event.payload;
          const account = await tx.accounts.find(unit.slug, accountNumber, subAccountNumber);
          if (account === null)
            throw new ServiceError(
              'account_not_found',
              'There is no account with this accountNumber and subAccountNumber: check both, subAccountNumber is an empty string where there is none.',
              { field: 'payload.accountNumber' },
            );
          await unenroll(tx, account.id, { now, newId: deps.newId });
          break;
        }
      }
      return null;
    },
    answer: () => ({}),
  };
}

async function applyManageCustomer(
  deps: Deps,
  tx: StoreTx,
  businessUnit: string,
  payload: ManageCustomerPayload,
): Promise<void> {
  const { accountNumber, subAccountNumber, originalEmailAddress } = payload;
  const account = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
  const holder = await tx.customers.find(businessUnit, payload.emailAddress);
  const original =
    originalEmailAddress === undefined ? null : await tx.customers.find(businessUnit, originalEmailAddress);
  const ofAccount = account === null ? [] : await tx.customers.ofAccount(account.id);
  const accountHasHolder = ofAccount.some(({ id }) => id === holder?.id);

  const change = manageCustomer({ original, holder, accountHasHolder }, payload);
  if (change.type === 'refuse') throw refused(change.code);
  const customerId = change.type === 'insert' ? deps.newId('cus_') : change.id;
  const customer = { id: customerId, businessUnit, ...change.fields };
  if (change.type === 'insert') await tx.customers.insert(customer);
  else await tx.customers.update(customer);

  const accountId = account?.id ?? deps.newId('acc_');
  if (account === null) {
    const fields = { Name: `${payload.firstName} ${payload.lastName}` };
    await tx.accounts.insert({ id: accountId, businessUnit, accountNumber, subAccountNumber, fields });
  }
  await tx.customers.associate(customerId, accountId);
}

function refused(code: 'customer_not_found' | 'email_in_use'): ServiceError {
  return code === 'email_in_use'
    ? new ServiceError('email_in_use', 'Another customer has this emailAddress already.', {
        field: 'payload.emailAddress',
      })
    : new ServiceError(
        'customer_not_found',
        'There is no customer with this originalEmailAddress: leave it out when the address does not change.',
        { field: 'payload.originalEmailAddress' },
      );
}
