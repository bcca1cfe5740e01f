/** Recognizes a bank account that is typed again, without storing its number. */
import { createHmac, randomBytes } from 'node:crypto';
import type { StoreTx } from '../core/store.js';
import type { BankSource } from '../processor/rules/port.js';

const KEY_NAME = 'fingerprint-key';

/**
 * The same for the same account in the same business unit. The key is random, stays in the database and is created on
 * first use, so that fingerprints of two databases cannot be compared.
 */
export async function accountFingerprint(
  tx: StoreTx,
  businessUnit: string,
  { routingNumber, accountNumber }: BankSource,
): Promise<string> {
  let key = await tx.meta.get(KEY_NAME);
  if (key === null) {
    key = randomBytes(32).toString('base64url');
    await tx.meta.set(KEY_NAME, key);
  }
  return createHmac('sha256', key)
    .update(JSON.stringify([businessUnit, routingNumber, accountNumber]))
    .digest('base64url');
}
