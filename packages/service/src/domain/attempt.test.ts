import { expect, it } from 'vitest';
import type { Open } from './asked.js';
import { answered, SETTLEMENT_MS } from './attempt.js';
import type { Attempt } from './attempt.js';

const DAY_MS = 86_400_000;
const bank: Attempt = {
  id: 'pay_1',
  businessUnit: 'water',
  sessionId: 'stg_1',
  requestId: 'attempt-1',
  status: 'processing',
  amount: 100,
  refunded: 0,
  source: { method: 'ACH', token: 'tok', last4: '6789', holder: 'Ada', save: false },
  charges: [],
  fields: {},
  createdAt: 0,
  dueAt: 0,
  lookups: 0,
};
const of = (change: Partial<Attempt>) => ({ ...bank, ...change }) as Open<Attempt>;
const due = (change: Partial<Attempt>, outcome: 'pending' | 'succeeded', now: number) =>
  answered(of(change), { outcome }, now).dueAt;

it('R-44 a settled bank payment is asked about with growing patience, until 62 days after it was made', () => {
  const settled = { status: 'succeeded' } as const;
  const found = answered(of({ status: 'pending' }), { outcome: 'succeeded' }, 2 * DAY_MS);
  expect(found).toMatchObject({ status: 'succeeded', lookups: 0, dueAt: 3 * DAY_MS });
  expect(due({ ...settled, lookups: 0 }, 'succeeded', 3 * DAY_MS)).toBe(5 * DAY_MS);
  expect(due({ ...settled, lookups: 9 }, 'succeeded', 62 * DAY_MS - 1)).toBe(69 * DAY_MS - 1);
  expect(due({ ...settled, lookups: 9 }, 'succeeded', 62 * DAY_MS)).toBeUndefined();
});

it('R-44 a bank payment settles two days after the bank took it, and where these are over is asked about an hour later', () => {
  const pending = (now: number, lookups = 0) => due({ lookups }, 'pending', now);
  expect(pending(5_000)).toBe(5_000 + SETTLEMENT_MS);
  // Its answer was lost: the bank had taken it when it was made.
  expect(pending(5_000, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS - 1, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS, 1)).toBe(SETTLEMENT_MS + DAY_MS / 24);
  expect(pending(SETTLEMENT_MS + 1, 1)).toBe(SETTLEMENT_MS + 1 + DAY_MS / 24);
});

it('R-44 each answer of a settled bank payment doubles the wait for the next, and a last word ends the questions', () => {
  expect(answered(of({ status: 'succeeded', lookups: 3 }), { outcome: 'succeeded' }, DAY_MS).lookups).toBe(4);
  expect(answered(of({ status: 'pending', lookups: 3 }), { outcome: 'succeeded' }, DAY_MS).lookups).toBe(0);
  for (const outcome of ['declined', 'returned'] as const)
    for (const status of ['processing', 'pending', 'succeeded'] as const)
      expect(answered(of({ status }), { outcome }, DAY_MS)).not.toHaveProperty('dueAt');
});
