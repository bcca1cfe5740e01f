/** The database's own secrets: random, created on first use, and part of every backup. */
import { randomBytes } from 'node:crypto';
import type { StoreTx } from '../../core/store.js';

/** Session keys can't be used for this, because they rotate. */
export async function databaseSecret(
  { meta }: StoreTx,
  name: 'account-ids' | 'fingerprint-key',
): Promise<string> {
  const known = await meta.get(name);
  if (known !== null) return known;

  const secret = randomBytes(32).toString('base64url');
  await meta.set(name, secret);
  return secret;
}
