/** Writes the changes that `account-sync.ts` and `customer.ts` decide, in the request's transaction. */
import type { Enrollment } from '../autopay/rules.js';
import type { ClientUser } from '../core/requests.js';
import type { AccountKey } from './rules/account-sync.js';
import type { Account, AccountFields } from './rules/account.js';
import { syncBill, type BillSync, type SyncedBill } from './rules/bill.js';
import { fillNames, newCustomer, type Customer } from './rules/customer.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { randomBytes } from 'node:crypto';
import type { BusinessUnit } from '../platform/config/config.js';
import { derivedId } from '../platform/ids.js';

export interface SyncContext extends Pick<TxContext, 'newId'> {
  readonly unit: Pick<BusinessUnit, 'slug'>;
}

export interface AccountSync {
  readonly businessUnit: string;
  readonly key: AccountKey;
  readonly found: Account | null;
  readonly fields: AccountFields;
  /** From `idSecret`, to derive a new account's id. */
  readonly secret: string;
  /** Absent if the request says nothing about the bill. */
  readonly bill?: BillSync;
}

/** Reads the enrollment only if the account's last due date has been reached. */
async function dueEnrollment(tx: StoreTx, found: Account | null, today: string): Promise<Enrollment | null> {
  const hasCome = [found?.bill?.DueDate, found?.fields.DueDate].some(
    (day) => day !== undefined && day <= today,
  );
  return found !== null && hasCome ? tx.autopay.ofAccount(found.id) : null;
}

/** Creates the account, or updates it if it has changed. */
export async function syncAccount(
  tx: StoreTx,
  { businessUnit, key, found, fields, secret, bill }: AccountSync,
): Promise<Account> {
  const { includesBefore, ...billed }: Partial<SyncedBill> =
    bill === undefined
      ? {}
      : syncBill(found ?? { fields: {} }, fields, bill, await dueEnrollment(tx, found, bill.today));
  if (found === null) {
    // If a restore loses the account, the next sync derives the same id, so a repeated charge has the same id too.
    const id = derivedId('acc_', 0, secret, businessUnit, key.accountNumber, key.subAccountNumber);
    const added = { id, businessUnit, ...key, fields, ...billed };
    await tx.accounts.insert(added);
    return added;
  }

  const isSummable =
    includesBefore === undefined || (await tx.accountPayments.forget(found.id, includesBefore));
  const changed: Account = {
    ...found,
    fields,
    ...billed,
    ...(isSummable ? {} : { bill: { ...billed.bill, isUnsummed: true } }),
  };
  if (JSON.stringify(changed) !== JSON.stringify(found)) await tx.accounts.update(changed);
  return changed;
}

/** D-6, D-7: creates the customer or fills in its missing names, and associates the accounts. Resolves to its id. */
export async function syncCustomer(
  tx: StoreTx,
  { unit, newId }: SyncContext,
  user: ClientUser,
  found: Customer | null,
  accountIds: readonly string[],
): Promise<string> {
  const id = found?.id ?? newId('cus_');
  if (found === null) {
    await tx.customers.insert({ id, businessUnit: unit.slug, ...newCustomer(user) });
  } else {
    const updated = fillNames(found, user);
    if (updated !== null) await tx.customers.update(updated);
  }

  for (const accountId of accountIds) await tx.customers.associate(id, accountId);
  return id;
}

/**
 * The secret that ids of accounts and payments derive from. Makes ids unguessable and different in each database.
 * Created at start, so backups contain it. Session keys can't be used for this, because they rotate.
 */
export async function idSecret({ meta }: StoreTx): Promise<string> {
  const known = await meta.get('account-ids');
  if (known !== null) return known;

  const secret = randomBytes(32).toString('base64url');
  await meta.set('account-ids', secret);
  return secret;
}
