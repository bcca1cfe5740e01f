/** Recognizes bank accounts without storing their numbers. */
import { createHmac } from 'node:crypto';
import type { StoreTx } from '../core/store.js';
import { fingerprintKey } from '../platform/keys/fingerprint-key.js';
import type { SessionSecrets } from '../platform/keys/session-keys.js';
import type { BankSource } from '../processor/rules/port.js';

/**
 * Computes an account's fingerprint in a business unit, ignoring leading zeros, which banks add. The second one, if any, is
 * that of earlier releases, which kept the zeros. Each database has its own key, so their fingerprints can't be compared.
 */
export async function accountFingerprints(
  tx: StoreTx,
  secrets: SessionSecrets,
  businessUnit: string,
  { routingNumber, accountNumber }: BankSource,
): Promise<[string, string?]> {
  const key = await fingerprintKey(tx, secrets);
  const of = (number: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([businessUnit, routingNumber, number]))
      .digest('base64url');
  const unpadded = accountNumber.replace(/^0+/, '');
  return unpadded === accountNumber ? [of(unpadded)] : [of(unpadded), of(accountNumber)];
}
