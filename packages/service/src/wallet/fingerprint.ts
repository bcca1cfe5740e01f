/** Recognizes a bank account that is typed again, without storing its number. */
import { createHmac } from 'node:crypto';
import type { StoreTx } from '../core/store.js';
import { databaseSecret } from '../platform/keys/database-secret.js';
import type { BankSource } from '../processor/rules/port.js';

/**
 * The fingerprint is the same for an account in a business unit, with or without the leading zeros that banks add. The
 * second one, if any, is from earlier releases, which kept the zeros. The key is the database's own, so fingerprints of
 * two databases cannot be compared.
 */
export async function accountFingerprints(
  tx: StoreTx,
  businessUnit: string,
  { routingNumber, accountNumber }: BankSource,
): Promise<[string, string?]> {
  const secret = await databaseSecret(tx, 'fingerprint-key');
  const of = (number: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([businessUnit, routingNumber, number]))
      .digest('base64url');
  const unpadded = accountNumber.replace(/^0+/, '');
  return unpadded === accountNumber ? [of(unpadded)] : [of(unpadded), of(accountNumber)];
}
