/** Session keys. Secrets in session URLs' fragments are derived from them, so they are never stored. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { ServiceError } from '../../core/error.js';
import type { StoreTx } from '../../core/store.js';

export interface SessionKey {
  readonly id: string;
  readonly key: Buffer;
}

export interface SessionSecrets {
  /** Id of the first key, which new sessions use. */
  readonly newest: string;
  has(keyId: string): boolean;
  /** Fingerprints by key id, which identify keys without revealing them. */
  readonly marks: ReadonlyMap<string, string>;
  /** 256 bits in base64url, always the same for a session. */
  derive(keyId: string, sessionId: string): string;
  /** Id of the key that a session's secret is derived from, or null. Compares in constant time. */
  keyOf(sessionId: string, secret: string): string | null;
  encrypt(keyId: string, text: string): string;
  decrypt(keyId: string, encrypted: string): string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function sessionSecrets(keys: readonly [SessionKey, ...SessionKey[]]): SessionSecrets {
  // `createHmac` takes four times as long with a Buffer as with a KeyObject.
  const byId = new Map(keys.map((entry) => [entry.id, createSecretKey(entry.key)]));
  const find = (keyId: string): KeyObject => {
    const key = byId.get(keyId);
    if (key === undefined)
      throw new ServiceError('session_key_missing', `The session key "${keyId}" is missing.`);
    return key;
  };
  const derive = (keyId: string, sessionId: string): string =>
    createHmac('sha256', find(keyId)).update(`session:${sessionId}`).digest('base64url');
  const cipherKey = (keyId: string): Buffer => createHmac('sha256', find(keyId)).update('encrypt').digest();
  return {
    newest: keys[0].id,
    has: (keyId) => byId.has(keyId),
    marks: new Map(
      keys.map(({ id, key }) => [id, createHmac('sha256', key).update('mark').digest('base64url')]),
    ),
    derive,
    keyOf: (sessionId, secret) =>
      keys.find(({ id }) => isSameSecret(secret, derive(id, sessionId)))?.id ?? null,
    encrypt: (keyId, text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, cipherKey(keyId), iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt: (keyId, encrypted) => {
      const bytes = Buffer.from(encrypted, 'base64url');
      const [tag, sealed] = [
        bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
        bytes.subarray(IV_BYTES + TAG_BYTES),
      ];
      const decipher = createDecipheriv(CIPHER, cipherKey(keyId), bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    },
  };
}

/** Compares in constant time. */
export function isSameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Generates a key in the format `id:<64 hex digits>`. */
export function makeSessionKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('hex')}`;
}

/** Newest first, separated by commas or line breaks. Errors never quote the input. */
export function parseSessionKeys(text: string, from: string): [SessionKey, ...SessionKey[]] {
  const [first, ...rest] = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index): SessionKey => {
      const match = /^([A-Za-z0-9_-]{1,64}):([0-9a-fA-F]{64})$/.exec(line);
      if (!match?.[1] || !match[2])
        throw new ServiceError(
          'invalid_arguments',
          `${from}: session key ${index + 1} must have the form id:<64 hex digits>.`,
        );
      return { id: match[1], key: Buffer.from(match[2], 'hex') };
    });
  if (first === undefined) throw new ServiceError('invalid_arguments', `${from} contains no session key.`);

  const keys: [SessionKey, ...SessionKey[]] = [first, ...rest];
  for (const [index, { id, key }] of keys.entries()) {
    if (keys.slice(0, index).some((earlier) => earlier.id === id || earlier.key.equals(key)))
      throw new ServiceError(
        'invalid_arguments',
        `${from}: the session key "${id}" repeats the id or the key of an earlier one: remove one of them.`,
      );
  }
  return keys;
}

/**
 * The key of bank accounts' fingerprints (R-93). Without it, a stolen database would reveal numbers by trial. Stored
 * encrypted with every session key, because session keys rotate. Created on first use.
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
