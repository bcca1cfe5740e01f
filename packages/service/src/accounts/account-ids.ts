/** Ids of accounts, from which the ids of AutoPay charges are derived. */
import { randomBytes } from 'node:crypto';
import type { StoreTx } from '../core/store.js';
import { derivedId } from '../platform/ids.js';
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

const NAME = 'account-ids';

/**
 * The secret that makes account ids unguessable and different in each database. Session keys can't be that secret,
 * because they rotate. Made when the service starts, so that backups contain it.
 */
export async function accountSecret({ meta }: StoreTx): Promise<string> {
  const known = await meta.get(NAME);
  if (known !== null) return known;

  const secret = randomBytes(32).toString('base64url');
  await meta.set(NAME, secret);
  return secret;
}
