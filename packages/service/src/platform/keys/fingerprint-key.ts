/** The key of bank accounts' fingerprints (R-93). Without it, a stolen database would reveal numbers by trial. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/error.js';
import type { StoreTx } from '../../core/store.js';
import type { SessionSecrets } from './session-keys.js';

/**
 * Stored encrypted with every session key, because session keys rotate. Created on first use.
 * @throws ServiceError `session_key_missing` if no session key can decrypt it
 */
export async function fingerprintKey(
  { meta }: StoreTx,
  secrets: Pick<SessionSecrets, 'has' | 'marks' | 'encrypt' | 'decrypt'>,
): Promise<string> {
  const stored = await meta.get('fingerprint-key');
  // Release 0.3 stored the key itself, and may run at the same time.
  if (stored !== null && !stored.startsWith('{')) return stored;

  const encrypted = new Map(Object.entries(JSON.parse(stored ?? '{}') as Record<string, string>));
  const [usable] = [...encrypted].filter(([id]) => secrets.has(id));
  if (stored !== null && usable === undefined)
    throw new ServiceError(
      'session_key_missing',
      `Blocked bank accounts can only be recognized with one of the session keys "${[...encrypted.keys()].join('", "')}": add one of them below the newest one.`,
    );

  const key = usable === undefined ? randomBytes(32).toString('base64url') : secrets.decrypt(...usable);
  const added = [...secrets.marks.keys()].filter((id) => !encrypted.has(id));
  for (const id of added) encrypted.set(id, secrets.encrypt(id, key));
  if (added.length > 0) await meta.set('fingerprint-key', JSON.stringify(Object.fromEntries(encrypted)));
  return key;
}
