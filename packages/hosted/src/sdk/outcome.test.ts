import { expect, it } from 'vitest';
import { closeOutcome, type Closing } from './outcome.js';

const closing: Closing = { by: 'payer', reply: 'form', isHeld: false };

it.each<[string, Partial<Closing>, unknown]>([
  ['R-44 is canceled by the payer if nothing is in flight', {}, { status: 'canceled', by: 'payer' }],
  [
    'R-44 is canceled by the merchant if nothing is in flight',
    { by: 'merchant' },
    { status: 'canceled', by: 'merchant' },
  ],
  ['R-44 holds the payer during a payment', { reply: 'processing', isHeld: true }, 'held'],
  [
    'R-44 is unknown if the merchant aborts during a payment',
    { by: 'merchant', reply: 'processing', isHeld: true },
    { status: 'unknown' },
  ],
  [
    'R-44 holds the payer if the page stops responding during a payment',
    { reply: null, isHeld: true },
    'held',
  ],
  ['R-44 stops holding the payer after a minute', { reply: 'processing' }, { status: 'unknown' }],
  ['R-44 is unknown if the page does not respond', { reply: null }, { status: 'unknown' }],
  ['R-44 is unknown if the page is done without a verdict', { reply: 'done' }, { status: 'unknown' }],
])('%s', (_, change, outcome) => {
  expect(closeOutcome({ ...closing, ...change })).toEqual(outcome);
});
