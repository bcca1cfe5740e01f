/** Account ids, and the secret that they and the ids of payments derive from. */
import { randomBytes } from 'node:crypto';
import type { StoreTx } from '../core/store.js';
import { derivedId } from '../platform/ids.js';
import type { AccountKey } from './rules/account-sync.js';

/**
 * Derives a new account's id with the database's secret. If a restore loses the account, the next sync derives the same
 * id, so a repeated charge has the same id too.
 */
export function deriveAccountId(
  secret: string,
  businessUnit: string,
  { accountNumber, subAccountNumber }: AccountKey,
): string {
  return derivedId('acc_', 0, secret, businessUnit, accountNumber, subAccountNumber);
}

/**
 * Makes ids unguessable and different in each database. Created at start, so backups contain it. Session keys can't be used
 * for this, because they rotate.
 */
export async function idSecret({ meta }: StoreTx): Promise<string> {
  const known = await meta.get('account-ids');
  if (known !== null) return known;

  const secret = randomBytes(32).toString('base64url');
  await meta.set('account-ids', secret);
  return secret;
}
