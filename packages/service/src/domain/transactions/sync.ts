/** Writes what `account-sync.ts` and `customer.ts` decide, in the transaction of the request. */
import type { ClientUser } from '@embedded-sessions/server-types';
import type { AccountKey } from '../account-sync.js';
import type { AccountFields } from '../account.js';
import { introduced } from '../customer.js';
import type { StoreTx } from '../store.js';

export interface Parties {
  readonly businessUnit: string;
  /** A new id that begins with `prefix`. */
  readonly newId: (prefix: string) => string;
}

/** Creates the account or writes what `next` makes of it; resolves its id. */
export async function syncAccount(
  tx: StoreTx,
  { businessUnit, newId }: Parties,
  { accountNumber, subAccountNumber }: AccountKey,
  next: (current: AccountFields | null) => AccountFields,
): Promise<string> {
  const found = await tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
  const fields = next(found?.fields ?? null);
  if (found === null) {
    const id = newId('acc_');
    await tx.accounts.insert({ id, businessUnit, accountNumber, subAccountNumber, fields });
    return id;
  }
  if (JSON.stringify(fields) !== JSON.stringify(found.fields)) await tx.accounts.update({ ...found, fields });
  return found.id;
}

/** D-6: keeps the customer and associates it with the accounts; resolves its id. */
export async function syncCustomer(
  tx: StoreTx,
  { businessUnit, newId }: Parties,
  user: ClientUser,
  accountIds: readonly string[],
): Promise<string> {
  const found = await tx.customers.find(businessUnit, user.EmailAddress);
  const id = found?.id ?? newId('cus_');
  if (found === null) await tx.customers.insert({ id, businessUnit, ...introduced(user) });
  for (const accountId of accountIds) await tx.customers.associate(id, accountId);
  return id;
}
