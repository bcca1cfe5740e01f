import { expect, it } from 'vitest';
import { adviceFor } from './decline-advice.js';

it.each([
  ['insufficient_funds', 'insufficient_funds'],
  ['expired_card', 'card_expired'],
  ['INCORRECT_CVC', 'wrong_code'],
  ['incorrect_zip', 'wrong_zip'],
  ['authentication_canceled', 'not_confirmed'],
  ['abandoned', 'not_confirmed'],
  ['authentication_failed', undefined],
  ['lost_card', undefined],
  ['stolen_card', undefined],
  ['fraudulent', undefined],
  ['pickup_card', undefined],
  ['do_not_honor', undefined],
  ['toString', undefined],
  [undefined, undefined],
])('advises the payer about %s: %s', (reason, advice) => {
  expect(adviceFor(reason)).toBe(advice);
});
