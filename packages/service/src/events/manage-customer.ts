/** Handles `Accounts.ManageCustomer` as `customer.ts` decides (E-2, E-3). */
import type { ManageCustomerPayload } from '../core/requests.js';
import { idSecret } from '../accounts/account-ids.js';
import { accountName, manageCustomer } from '../accounts/rules/customer.js';
import { ServiceError } from '../core/error.js';
import type { StoreTx } from '../core/store.js';
import { syncAccount, type SyncContext } from '../accounts/sync.js';

/** @throws ServiceError `customer_not_found`, `email_in_use` or `invalid` */
export async function applyManageCustomer(
  tx: StoreTx,
  { businessUnit, newId }: SyncContext,
  payload: ManageCustomerPayload,
): Promise<void> {
  const { accountNumber, subAccountNumber, originalEmailAddress } = payload;
  const account = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
  const holder = await tx.customers.find(businessUnit, payload.emailAddress);
  const original =
    originalEmailAddress === undefined ? null : await tx.customers.find(businessUnit, originalEmailAddress);
  const accountHasHolder =
    account !== null && holder !== null && (await tx.customers.isAssociated(holder.id, account.id));

  const change = manageCustomer({ original, holder, accountHasHolder }, payload);
  if (change.type === 'refuse') throw refusal(change.code);

  const customer =
    change.type === 'insert' ? { id: newId('cus_'), businessUnit, ...change.fields } : change.customer;
  if (change.type === 'insert') await tx.customers.insert(customer);
  else if (change.type === 'move') await tx.customers.changeAddress(customer);
  else await tx.customers.update(customer);

  const fields = { ...account?.fields, Name: accountName(payload) };
  const key = { accountNumber, subAccountNumber };
  const keyFields = {
    accountNumber: 'payload.accountNumber',
    subAccountNumber: 'payload.subAccountNumber',
  };
  const secret = await idSecret(tx);
  const { id: accountId } = await syncAccount(tx, {
    businessUnit,
    key,
    keyFields,
    found: account,
    fields,
    secret,
  });
  await tx.customers.associate(customer.id, accountId);
}

function refusal(code: 'customer_not_found' | 'email_in_use'): ServiceError {
  return code === 'email_in_use'
    ? new ServiceError(code, 'Another customer already has this emailAddress.', {
        field: 'payload.emailAddress',
      })
    : new ServiceError(
        code,
        'No customer has this originalEmailAddress. Omit it unless the address changes.',
        { field: 'payload.originalEmailAddress' },
      );
}
