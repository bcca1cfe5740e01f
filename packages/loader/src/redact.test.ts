import { describe, expect, it, onTestFinished } from 'vitest';
import { redactor } from './redact.js';

const SESSION = 'https://pay.test/s/stg_0123456789#c2VjcmV0LW9mLWl0';
const redact = redactor(SESSION);

describe('R-2 redaction of SDK output', () => {
  it.each([
    ['the secret', 'c2VjcmV0LW9mLWl0'],
    ['the address', SESSION],
    ['its path alone', '/s/stg_0123456789'],
    ['the address with a suffix', `${SESSION}?more=1&c=2`],
    ['the address, encoded', encodeURIComponent(SESSION)],
    ['the address, encoded twice', encodeURIComponent(encodeURIComponent(SESSION))],
    ['the secret in other case', 'C2VJCMV0LW9MLWL0'],
    ['the secret with its hyphens encoded', 'c2VjcmV0LW9mLWl0'.replaceAll('-', '%2d')],
  ])('removes %s at any depth', (_, secret) => {
    const redacted = redact({ a: `see ${secret}, please`, list: [{ deep: secret }], [secret]: 1 });
    expect(JSON.stringify(redacted)).not.toMatch(/stg_0123456789|stg_0123456789|c2VjcmV0/i);
    expect(JSON.stringify(redacted)).toContain('see ');
  });

  it('removes every secret of a query and of a fragment with parameters', () => {
    const both = redactor('https://pay.test/s/stg_1?token=abcdef123&x=1#key=ghijkl456');
    expect(both('abcdef123 and ghijkl456, x=1')).toBe('… and …, x=1');
    expect(both({ key: 'key=ghijkl456', query: 'token=abcdef123&x=1' })).toEqual({ key: '…', query: '…' });
  });

  it('removes the path if it is the only secret, and keeps ordinary words', () => {
    const ofPath = redactor('https://pay.test/s/abcdef123456');
    expect(ofPath('abcdef123456')).toBe('…');
    expect(ofPath('https://pay.test is there')).toBe('https://pay.test is there');
    expect(redact('stg_0123456789 alone opens nothing')).toBe('stg_0123456789 alone opens nothing');
    const ofNothing = redactor('https://pay.test/');
    expect(ofNothing('https://pay.test/ is there / or not')).toBe('https://pay.test/ is there / or not');
    expect(redactor('https://pay.test/?a=12345')('12345')).toBe('12345');
    expect(redactor('https://pay.test/?a=123456')('123456')).toBe('…');
  });

  it('removes everything after the path up to the end of the URL', () => {
    expect(redact('<a href="https://pay.test/s/stg_0123456789/more#rest">pay</a>')).toBe(
      '<a href="https://pay.test…">pay</a>',
    );
    expect(redact('/s/stg_0123456789-other is another')).toBe('/s/stg_0123456789-other is another');
  });

  it('R-91 is possible for the longest URL', () => {
    const secret = '-'.repeat(4_000);
    const ofLong = redactor(`https://pay.test/s/prd_1?${secret}`);
    expect(ofLong(`see ${secret}`)).toBe('see …');
  });

  it('leaves other values unchanged: words, numbers, null and dates', () => {
    const value = { status: 'completed', n: 7, none: null, yes: true, at: new Date(0), list: [1, 'two'] };
    expect(redact(value)).toEqual({ ...value, at: '1970-01-01T00:00:00.000Z' });
    expect(redact('plain')).toBe('plain');
    expect(redact(null)).toBeNull();
  });

  it('keeps errors as data, with their causes', () => {
    const cause = new TypeError(`no ${SESSION}`);
    const error = Object.assign(new Error('failed', { cause }), { code: 'flow_failed' });
    expect(redact(error)).toMatchObject({
      name: 'Error',
      message: 'failed',
      code: 'flow_failed',
      stack: expect.any(String) as string,
      cause: { name: 'TypeError', message: expect.stringMatching(/^no https:\/\/pay\.test/) as string },
    });
  });

  it('repeats a value that occurs twice', () => {
    const charge = { Amount: 500, CustomMeta: { order: '7' } };
    const value = { first: charge, Charges: [charge, charge] };
    expect(redact(value)).toEqual(value);
  });

  it('copies arrays and texts of a page whose prototypes have a toJSON, as of Prototype.js', () => {
    onTestFinished(() => {
      for (const { prototype } of [Array, String]) delete (prototype as { toJSON?: unknown }).toJSON;
    });
    for (const { prototype } of [Array, String])
      Object.assign(prototype, { toJSON: (): string => 'encoded again' });
    expect(redact({ list: ['a', SESSION] })).toEqual({ list: ['a', 'https://pay.test…'] });
  });

  it('drops unreadable values', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throws = {
      get word(): string {
        throw new Error('no');
      },
    };
    for (const unreadable of [proxy, throws, { deep: throws }, undefined, () => SESSION])
      expect(redact(unreadable)).toBeUndefined();
  });
});
