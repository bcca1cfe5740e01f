import { expect, it } from 'vitest';
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

it('adds no second link to a loader error', () => {
  const { code, message } = new LoaderError('timeout', 'Too late.');
  expect(new EmbeddedPaymentError(code, message).message).toBe(message);
});
