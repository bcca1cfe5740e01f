import type { FlowEvent } from '@embedded-sessions/loader';
import { expect, it } from 'vitest';
import { Verdict as LoaderVerdict } from '../../../loader/src/verdict.js';
import { closeOutcome, HOLD_MS, outranks, type Closing, type Verdict } from './outcome.js';

const closing: Closing = { by: 'payer', verdict: null, reply: 'form', processingForMs: null };
const completed = { status: 'completed', detail: 1 } as const;

it.each<[string, Partial<Closing>, unknown]>([
  ['R-44 is canceled by the payer if nothing is in flight', {}, { status: 'canceled', by: 'payer' }],
  [
    'R-44 is canceled by the merchant if nothing is in flight',
    { by: 'merchant' },
    { status: 'canceled', by: 'merchant' },
  ],
  ['R-44 holds the payer during a payment', { reply: 'processing', processingForMs: 5 }, 'held'],
  [
    'R-44 is unknown if the merchant aborts during a payment',
    { by: 'merchant', reply: 'processing', processingForMs: 5 },
    { status: 'unknown' },
  ],
  [
    'R-44 holds the payer if the page stops responding during a payment',
    { reply: null, processingForMs: 5 },
    'held',
  ],
  [
    'R-44 stops holding the payer after a minute',
    { reply: null, processingForMs: HOLD_MS },
    { status: 'unknown' },
  ],
  ['R-44 is unknown if the page does not respond', { reply: null }, { status: 'unknown' }],
  ['R-44 keeps the verdict', { verdict: completed, reply: null, processingForMs: 5 }, completed],
  ['R-44 is unknown if the page is done without a verdict', { reply: 'done' }, { status: 'unknown' }],
])('%s', (_, change, outcome) => {
  expect(closeOutcome({ ...closing, ...change })).toEqual(outcome);
});

const expired = { status: 'expired' } as const;

// Both implement the rule, because the SDK may run without the loader, and the loader with another SDK.
it.each<[Verdict, Verdict]>([
  [expired, completed],
  [completed, expired],
  [completed, completed],
  [expired, expired],
])('R-44 after %j, SDK and loader agree on whether %j counts', (first, next) => {
  const loader = new LoaderVerdict();
  loader.record({ type: first.status, detail: 1 } as FlowEvent);
  const counts = loader.record({ type: next.status, detail: 1 } as FlowEvent);
  expect(outranks(next, first)).toBe(counts);
});
