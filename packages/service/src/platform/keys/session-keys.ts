/** Session keys. Secrets in session URLs' fragments are derived from them, so they are never stored. */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../core/error.js';

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
}

export function sessionSecrets(keys: readonly [SessionKey, ...SessionKey[]]): SessionSecrets {
  // `createHmac` takes four times as long with a Buffer as with a KeyObject.
  const byId = new Map(keys.map((entry) => [entry.id, createSecretKey(entry.key)]));
  const derive = (keyId: string, sessionId: string): string => {
    const key = byId.get(keyId);
    if (key === undefined)
      throw new ServiceError('session_key_missing', `The session key "${keyId}" is missing.`);
    return createHmac('sha256', key).update(`session:${sessionId}`).digest('base64url');
  };
  return {
    newest: keys[0].id,
    has: (keyId) => byId.has(keyId),
    marks: new Map(
      keys.map(({ id, key }) => [id, createHmac('sha256', key).update('mark').digest('base64url')]),
    ),
    derive,
    keyOf: (sessionId, secret) => {
      const given = Buffer.from(secret);
      const isOf = (keyId: string): boolean => {
        const expected = Buffer.from(derive(keyId, sessionId));
        return expected.length === given.length && timingSafeEqual(expected, given);
      };
      return keys.find(({ id }) => isOf(id))?.id ?? null;
    },
  };
}

/** Generates a key in the format `id:<64 hex digits>`. */
export function makeSessionKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('hex')}`;
}

/**
 * Reads keys, newest first, separated by commas or line breaks.
 * @throws ServiceError `invalid_arguments`, which never quotes the input
 */
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

  const ids = [first, ...rest].map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    throw new ServiceError('invalid_arguments', `${from}: the session key id "${twice}" appears twice.`);
  return [first, ...rest];
}
