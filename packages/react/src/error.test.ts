import { expect, it, onTestFinished } from 'vitest';
import { LoaderError } from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from './error.js';

it.each([
  ['session_failed', 'react.md#session_failed'],
  ['no_loader', 'react.md#no_loader'],
] as const)('%s links to its documentation', (code, address) => {
  const { message } = new EmbeddedPaymentError(code, 'It went wrong.');
  expect(message).toMatch(/^It went wrong\. https:\/\//);
  expect(message.endsWith(`/docs/errors/${address}`)).toBe(true);
});

it('has its name and code on a page that has frozen Error.prototype', () => {
  const { prototype } = Error;
  Object.defineProperty(prototype, 'name', { writable: false });
  onTestFinished(() => void Object.defineProperty(prototype, 'name', { writable: true }));
  const error = new EmbeddedPaymentError('no_loader', 'It went wrong.');
  expect(error).toMatchObject({ name: 'EmbeddedPaymentError', code: 'no_loader' });
});

it('adds no second link to a loader error', () => {
  const { code, message } = new LoaderError('timeout', 'Too late.');
  expect(new EmbeddedPaymentError(code, message).message).toBe(message);
});
