/** Account ids, from which the ids of AutoPay charges are derived. */
import type { StoreTx } from '../core/store.js';
import { derivedId } from '../platform/ids.js';
import { databaseSecret } from '../platform/keys/database-secret.js';
import type { AccountKey } from './rules/account-sync.js';

/**
 * Derives the id of a new account with the database's own secret. An account first synced after a backup gets the same
 * id again after a restore, so a charge repeated for it has the same id too.
 */
export function newAccountId(
  secret: string,
  businessUnit: string,
  { accountNumber, subAccountNumber }: AccountKey,
): string {
  return derivedId('acc_', 0, secret, businessUnit, accountNumber, subAccountNumber);
}

/** Makes account ids unguessable and different in each database. Read when the service starts, so backups contain it. */
export function accountSecret(tx: StoreTx): Promise<string> {
  return databaseSecret(tx, 'account-ids');
}
