import { expect, it } from 'vitest';
import type { Open } from '../../processor/rules/operation.js';
import { answered, endsTooSoon, SETTLEMENT_MS, showsReceipt } from './attempt.js';
import type { Attempt } from './attempt.js';
import { answered as refundAnswered, refundable } from '../../refunds/rules.js';
import type { Refund } from '../../refunds/rules.js';

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
  answered(of(change), { outcome }, { now }).dueAt;

it('R-44 looks up a settled bank payment with increasing backoff for 62 days', () => {
  const settled = { status: 'succeeded' } as const;
  const found = answered(of({ status: 'pending' }), { outcome: 'succeeded' }, { now: 2 * DAY_MS });
  expect(found).toMatchObject({ status: 'succeeded', lookups: 0, dueAt: 3 * DAY_MS });
  expect(due({ ...settled, lookups: 0 }, 'succeeded', 3 * DAY_MS)).toBe(5 * DAY_MS);
  expect(due({ ...settled, lookups: 9 }, 'succeeded', 62 * DAY_MS - 1)).toBe(69 * DAY_MS - 1);
  expect(due({ ...settled, lookups: 9 }, 'succeeded', 62 * DAY_MS)).toBeUndefined();
});

it('R-44 settles a bank payment after two days, or looks it up an hour later if they have passed', () => {
  const pending = (now: number, lookups = 0) => due({ lookups }, 'pending', now);
  expect(pending(5_000)).toBe(5_000 + SETTLEMENT_MS);
  // The answer was lost: the bank accepted the charge when it was made.
  expect(pending(5_000, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS - 1, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS, 1)).toBe(SETTLEMENT_MS + DAY_MS / 24);
  expect(pending(SETTLEMENT_MS + 1, 1)).toBe(SETTLEMENT_MS + 1 + DAY_MS / 24);
});

it('R-44 doubles the wait after each lookup of a settled bank payment, until a final outcome', () => {
  expect(
    answered(of({ status: 'succeeded', lookups: 3 }), { outcome: 'succeeded' }, { now: DAY_MS }).lookups,
  ).toBe(4);
  expect(
    answered(of({ status: 'pending', lookups: 3 }), { outcome: 'succeeded' }, { now: DAY_MS }).lookups,
  ).toBe(0);
  for (const outcome of ['declined', 'returned'] as const)
    for (const status of ['processing', 'pending', 'succeeded'] as const)
      expect(answered(of({ status }), { outcome }, { now: DAY_MS })).not.toHaveProperty('dueAt');
});

it('R-44 keeps a settled bank payment paid if the processor reports pending', () => {
  expect(answered(of({ status: 'succeeded' }), { outcome: 'pending' }, { now: DAY_MS }).status).toBe(
    'succeeded',
  );
});

it('R-64 shows the receipt for a day after the outcome, or after the payment if there is none', () => {
  const receipt = (change: Partial<Attempt>) =>
    [DAY_MS + 6, DAY_MS + 7].map((now) => showsReceipt(of(change), now));
  expect(receipt({ createdAt: 5, answeredAt: 7 })).toEqual([true, false]);
  expect(receipt({ createdAt: 7 })).toEqual([true, false]);
});

it('R-82 rejects a range that ends before it starts, and accepts an open one', () => {
  expect(endsTooSoon({ from: 2, to: 1 }, 'From', 'To')).toBe('From must not be after To.');
  for (const taken of [{ from: 2, to: 2 }, { from: 2 }, { to: 1 }, {}])
    expect(endsTooSoon(taken, 'From', 'To')).toBeNull();
});

it('R-80 allows refunds up to the remaining balance of a succeeded payment only', () => {
  const left = (status: Attempt['status']) => refundable({ ...bank, status, refunded: 30 });
  expect(left('succeeded')).toBe(70);
  for (const status of ['processing', 'pending', 'declined', 'returned'] as const)
    expect(left(status)).toBe(0);
});

it('R-80 looks up a pending refund after an hour, doubling until it has an outcome', () => {
  const refund = (status: Refund['status'], lookups: number, outcome: 'pending' | 'succeeded' | 'failed') =>
    refundAnswered({ ...bank, attemptId: 'pay_1', left: 0, status, lookups } as Open<Refund>, { outcome }, 0);
  const HOUR_MS = DAY_MS / 24;
  // Regardless of earlier lookups.
  expect(refund('processing', 3, 'pending')).toMatchObject({ lookups: 1, dueAt: HOUR_MS });
  expect(refund('pending', 1, 'pending')).toMatchObject({ lookups: 2, dueAt: 2 * HOUR_MS });
  expect(refund('pending', 2, 'pending')).toMatchObject({ lookups: 3, dueAt: 4 * HOUR_MS });
  for (const outcome of ['succeeded', 'failed'] as const)
    expect(refund('pending', 2, outcome)).not.toHaveProperty('dueAt');
});
