/** Writes what `account-sync.ts` and `customer.ts` decide, in the transaction of the request. */
import type { ClientUser } from '../core/requests.js';
import { newAccountId } from './account-ids.js';
import type { AccountKey } from './rules/account-sync.js';
import type { Account, AccountFields } from './rules/account.js';
import { fillNames, newCustomer, type Customer } from './rules/customer.js';
import { defined } from '../core/defined.js';
import type { StoreTx } from '../core/store.js';

export interface Parties {
  readonly businessUnit: string;
  /** A new id that begins with `prefix`. */
  readonly newId: (prefix: string) => string;
}

export function findAccount(
  tx: StoreTx,
  { businessUnit }: Parties,
  { accountNumber, subAccountNumber }: AccountKey,
): Promise<Account | null> {
  return tx.accounts.find(businessUnit, accountNumber, subAccountNumber);
}

/** Returns null for an unknown customer and if the request names none. */
export async function findCustomer(
  tx: StoreTx,
  { businessUnit }: Parties,
  user: ClientUser | undefined,
): Promise<Customer | null> {
  return user === undefined ? null : tx.customers.find(businessUnit, user.EmailAddress);
}

/** Don't write a balance again that was synced a moment ago, because most creates change nothing. */
const SYNCED_AGAIN_MS = 1_000;

export interface AccountSync {
  readonly businessUnit: string;
  readonly key: AccountKey;
  readonly found: Account | null;
  readonly fields: AccountFields;
  /** From `accountSecret`, for the id of a new account. */
  readonly secret: string;
  /** When the request stated the account's balance, ms since the epoch; absent if it stated none. */
  readonly syncedAt?: number | undefined;
}

/** Creates the account, or updates it if a field changed. Resolves to its id. */
export async function syncAccount(
  tx: StoreTx,
  { businessUnit, key, found, fields, secret, syncedAt }: AccountSync,
): Promise<string> {
  if (found === null) {
    const id = newAccountId(secret, businessUnit, key);
    await tx.accounts.insert({ id, businessUnit, ...key, fields, ...defined({ balanceSyncedAt: syncedAt }) });
    return id;
  }

  const changed = JSON.stringify(fields) !== JSON.stringify(found.fields);
  const { balanceSyncedAt = -Infinity } = found;
  const balanceSynced = syncedAt !== undefined && syncedAt >= balanceSyncedAt + SYNCED_AGAIN_MS;
  if (!changed && !balanceSynced) return found.id;

  await tx.accounts.update({ ...found, fields, ...defined({ balanceSyncedAt: syncedAt }) });
  if (syncedAt !== undefined) await tx.autopay.setDueDate(found.id, fields.DueDate ?? null);
  return found.id;
}

/** D-6, D-7: creates the customer or fills in its missing names, and associates the accounts. Resolves to its id. */
export async function syncCustomer(
  tx: StoreTx,
  { businessUnit, newId }: Parties,
  user: ClientUser,
  found: Customer | null,
  accountIds: readonly string[],
): Promise<string> {
  const id = found?.id ?? newId('cus_');
  if (found === null) {
    await tx.customers.insert({ id, businessUnit, ...newCustomer(user) });
  } else {
    const named = fillNames(found, user);
    if (named !== null) await tx.customers.update(named);
  }

  for (const accountId of accountIds) await tx.customers.associate(id, accountId);
  return id;
}
