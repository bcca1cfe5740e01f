import type { FlowEvent } from '@embedded-sessions/loader';
import { expect, it } from 'vitest';
import { Verdict as LoaderVerdict } from '../../../loader/src/verdict.js';
import { closeOutcome, HOLD_MS, outranks, type Closing, type Verdict } from './outcome.js';

const closing: Closing = { by: 'payer', verdict: null, answer: 'form', processingForMs: null };
const completed = { status: 'completed', detail: 1 } as const;

it.each<[string, Partial<Closing>, unknown]>([
  ['R-44 a page with nothing in flight', {}, { status: 'canceled', by: 'payer' }],
  ['R-44 the same closed by the merchant', { by: 'merchant' }, { status: 'canceled', by: 'merchant' }],
  ['R-44 a payment in flight holds its payer', { answer: 'processing', processingForMs: 5 }, 'held'],
  [
    'R-44 one that the merchant aborts is unknown',
    { by: 'merchant', answer: 'processing', processingForMs: 5 },
    { status: 'unknown' },
  ],
  [
    'R-44 a silent page with a payment in flight holds its payer',
    { answer: null, processingForMs: 5 },
    'held',
  ],
  ['R-44 but not for ever', { answer: null, processingForMs: HOLD_MS }, { status: 'unknown' }],
  ['R-44 a silent page is never canceled', { answer: null }, { status: 'unknown' }],
  ['R-44 a verdict stands', { verdict: completed, answer: null, processingForMs: 5 }, completed],
  ['R-44 done without a verdict is unknown', { answer: 'done' }, { status: 'unknown' }],
])('%s', (_, change, outcome) => {
  expect(closeOutcome({ ...closing, ...change })).toEqual(outcome);
});

const expired = { status: 'expired' } as const;

// Both must decide it: the SDK may run without the loader, and the loader with another SDK.
it.each<[Verdict, Verdict]>([
  [expired, completed],
  [completed, expired],
  [completed, completed],
  [expired, expired],
])('R-44 after %j, %j counts in the SDK exactly if it counts in the loader', (first, next) => {
  const loader = new LoaderVerdict();
  loader.record({ type: first.status, detail: 1 } as FlowEvent);
  const counts = loader.record({ type: next.status, detail: 1 } as FlowEvent);
  expect(outranks(next, first)).toBe(counts);
});
