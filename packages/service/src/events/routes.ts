/** `POST /integrations/events`: a merchant's updates about its accounts (E-1 to E-5). */
import { EVENTS_ENDPOINT } from '@embedded-sessions/server-types';
import { readEventRequest, type ReadEvent } from '@embedded-sessions/server-types/schemas';
import type { Deps } from '../deps.js';
import { ServiceError } from '../core/error.js';
import { unenroll } from '../autopay/enrollment.js';
import { emailKey, type Customer } from '../accounts/rules/customer.js';
import { idSecret, syncAccount, type SyncContext } from '../accounts/sync.js';
import type { ManageCustomerPayload } from '../core/requests.js';
import type { StoreTx } from '../core/store.js';
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
          await manageCustomer(tx, { unit, newId: deps.newId }, event.payload);
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

/** E-2: creates or changes the customer, and names the account after it. */
async function manageCustomer(
  tx: StoreTx,
  context: SyncContext,
  payload: ManageCustomerPayload,
): Promise<void> {
  const businessUnit = context.unit.slug;
  const { accountNumber, subAccountNumber, firstName, lastName } = payload;
  const account = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
  const customer = await writeCustomer(tx, context, payload, account?.id);
  const synced = await syncAccount(tx, {
    businessUnit,
    key: { accountNumber, subAccountNumber },
    found: account,
    // A business has no last name.
    fields: { ...account?.fields, Name: `${firstName.trim()} ${lastName.trim()}`.trim() },
    secret: await idSecret(tx),
  });
  await tx.customers.associate(customer.id, synced.id);
}

/**
 * E-3: creates or updates the customer with the address, or changes the address of a customer of the account. The original
 * address may belong to someone else by now. A replayed change updates the customer who already has the new address.
 */
async function writeCustomer(
  tx: StoreTx,
  { unit, newId }: SyncContext,
  { emailAddress, originalEmailAddress, firstName, lastName }: ManageCustomerPayload,
  accountId: string | undefined,
): Promise<Customer> {
  const businessUnit = unit.slug;
  const fields = { emailAddress: emailAddress.trim(), firstName, lastName };
  const holder = await tx.customers.find(businessUnit, emailAddress);
  const isMove =
    originalEmailAddress !== undefined && emailKey(originalEmailAddress) !== emailKey(emailAddress);
  const original = isMove ? await tx.customers.find(businessUnit, originalEmailAddress) : null;
  const isOfAccount = async (customer: Customer): Promise<boolean> =>
    accountId !== undefined && tx.customers.isAssociated(customer.id, accountId);
  const accountHasCustomers = async (): Promise<boolean> =>
    accountId !== undefined && tx.customers.hasCustomer(accountId);

  if (original !== null && ((await isOfAccount(original)) || !(await accountHasCustomers()))) {
    if (holder !== null)
      throw new ServiceError('email_in_use', 'Another customer already has this emailAddress.', {
        field: 'payload.emailAddress',
      });
    const moved = { ...original, ...fields };
    await tx.customers.changeAddress(moved);
    return moved;
  }

  if (holder !== null && (!isMove || (await isOfAccount(holder)))) {
    const updated = { ...holder, ...fields };
    await tx.customers.update(updated);
    return updated;
  }
  if (originalEmailAddress !== undefined)
    throw new ServiceError(
      'customer_not_found',
      'No customer of this account has this originalEmailAddress. Omit it unless the address changes.',
      { field: 'payload.originalEmailAddress' },
    );

  const created = { id: newId('cus_'), businessUnit, ...fields };
  await tx.customers.insert(created);
  return created;
}
