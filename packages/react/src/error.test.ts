import { expect, it } from 'vitest';
import { LoaderError } from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from './error.js';

it.each([
  ['session_failed', 'react.md#session_failed'],
  ['no_loader', 'react.md#no_loader'],
] as const)('an error links to the page that explains it: %s', (code, address) => {
  const { message } = new EmbeddedPaymentError(code, 'It went wrong.');
  expect(message).toMatch(/^It went wrong\. https:\/\//);
  expect(message.endsWith(`/docs/errors/${address}`)).toBe(true);
});

it('a loader error with a link gets no second link', () => {
  const { code, message } = new LoaderError('timeout', 'Too late.');
  expect(new EmbeddedPaymentError(code, message).message).toBe(message);
});
