import { describe, expect, it } from 'vitest';
import { makeSessionKey, parseSessionKeys, sessionSecrets } from './session-keys.js';

const one = `one:${'1'.repeat(64)}`;
const two = `two:${'2'.repeat(64)}`;

describe('session keys', () => {
  it('R-1 derives the same 256 bits for a session each time', () => {
    const secrets = sessionSecrets(parseSessionKeys(one, 'test'));
    const secret = secrets.derive('one', 'stg_a');
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(sessionSecrets(parseSessionKeys(one, 'test')).derive('one', 'stg_a')).toBe(secret);
    expect(secrets.derive('one', 'stg_b')).not.toBe(secret);
    const later = sessionSecrets(parseSessionKeys(`${two},${one}`, 'test'));
    expect(later.keyOf('stg_a', secret)).toBe('one');
    expect(later.keyOf('stg_b', secret)).toBeNull();
    expect(later.keyOf('stg_a', `${secret}x`)).toBeNull();
    expect(sessionSecrets(parseSessionKeys(two, 'test')).keyOf('stg_a', secret)).toBeNull();
  });

  it('uses the newest and still accepts the older', () => {
    const secrets = sessionSecrets(parseSessionKeys(`${two}\n# kept for a day\n${one}\n`, 'test'));
    expect(secrets.newest).toBe('two');
    expect(secrets.has('one')).toBe(true);
    expect(() => secrets.derive('three', 'stg_a')).toThrow(/three/);
  });

  it('parses lines, commas and generated keys', () => {
    expect(parseSessionKeys(`${one},${two}`, 'test').map(({ id }) => id)).toEqual(['one', 'two']);
    expect(parseSessionKeys(makeSessionKey(), 'test')[0].key).toHaveLength(32);
  });

  it.each([
    '',
    '# none',
    'one:12',
    `one:${'g'.repeat(64)}`,
    `one ${'1'.repeat(64)}`,
    `${one}\n${one}`,
    `${one}\n${one.replace('one', 'two')}`,
  ])('rejects %j and never repeats a key', (text) => {
    expect(() => parseSessionKeys(text, 'FILE')).toThrow(/FILE/);
    expect(() => parseSessionKeys(text, 'FILE')).not.toThrow(/[1g]{10}/);
  });
});
