// Tests how failures without a response are classified, whatever a platform throws.
import { expect, it } from 'vitest';
import { isServiceError, ServiceError } from './error.js';
import { readFault } from './response.js';

const redact = (text: string): string => text.replaceAll('key', '[redacted]');

it.each([true, false])('R-53 retries a stopped attempt only if the call continues: %j', (stopped) => {
  const stop = new ServiceError('timeout', 'No answer within timeoutMs.', { cause: 'why' });
  const { kind, message, cause } = stop;
  expect(readFault(stop, true, redact, stopped)).toStrictEqual({
    kind,
    message,
    cause,
    retry: stopped,
    mayHaveArrived: true,
  });
  expect(readFault(stop, false, redact, stopped)).toMatchObject({ retry: stopped, mayHaveArrived: false });
});

it.each([undefined, null, 'down', {}])('R-53 reports no cause for the uninformative value %j', (thrown) => {
  expect(readFault(thrown, true, redact, false)).toStrictEqual({
    kind: 'connection',
    message: 'The connection failed: reason unknown',
    retry: true,
    mayHaveArrived: true,
    details: { code: '' },
    cause: undefined,
  });
});

it.each([Object.create(null), Symbol('x'), undefined])(
  'R-53 handles an error name that is not a string',
  (name: unknown) => {
    expect(readFault({ message: 'no key', name }, true, redact, false)).toMatchObject({
      kind: 'connection',
      retry: true,
      cause: { name: 'Error', message: 'no [redacted]' },
    });
  },
);

it('isServiceError recognizes an error of another package copy', () => {
  const brand = Symbol.for('@embedded-sessions/server:error');
  expect(isServiceError(Object.defineProperty(new Error('no'), brand, {}))).toBe(true);
  expect(isServiceError(new Error('no'))).toBe(false);
});

it('R-53 describes an error and its cause by name, message and code, without the key', () => {
  const cause = Object.assign(new Error('reset by key'), { name: 'SocketError', code: 'ECONNRESET:key' });
  const thrown = Object.assign(new TypeError('fetch of key failed', { cause }), { request: { key: 'key' } });
  const fault = readFault(thrown, true, redact, false);
  expect(fault.message).toBe('The connection failed: reset by [redacted] ECONNRESET:[redacted]');
  expect(fault.details).toEqual({ code: 'ECONNRESET:[redacted]' });
  expect(fault.cause).toMatchObject({
    name: 'TypeError',
    message: 'fetch of [redacted] failed',
    cause: { name: 'SocketError', message: 'reset by [redacted]', code: 'ECONNRESET:[redacted]' },
  });
  expect(fault.cause).not.toHaveProperty('request');
  expect(fault.cause).not.toHaveProperty('code');
});

it('R-53 describes an error that is its own cause four levels deep', () => {
  const thrown = new Error('round');
  thrown.cause = thrown;
  const levels: unknown[] = [];
  for (let { cause } = readFault(thrown, true, redact, false); cause; { cause } = cause as Error)
    levels.push(cause);
  expect(levels).toHaveLength(4);
});

it.each<[string, boolean, boolean]>([
  ['ECONNRESET', true, true],
  ['ECONNREFUSED', true, false],
  ['ENOTFOUND', true, false],
  ['CERT_HAS_EXPIRED', false, false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, false],
])('R-53 after %s, retries: %j, may have arrived: %j', (code, retry, mayHaveArrived) => {
  const thrown = Object.assign(new Error('no'), { code });
  expect(readFault(thrown, true, redact, false)).toMatchObject({ kind: 'connection', retry, mayHaveArrived });
  expect(readFault(thrown, false, redact, false)).toMatchObject({ retry, mayHaveArrived: false });
});
