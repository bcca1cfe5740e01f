import { expect, it } from 'vitest';
import type { Open } from '../../processor/rules/operation.js';
import { applyResult, SETTLEMENT_MS, showsReceipt } from './attempt.js';
import type { Attempt } from './attempt.js';
import { applyResult as refundAnswered, refundable } from '../../refunds/rules.js';
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
  applyResult(of(change), { outcome }, { now }).dueAt;

/** Days of a payment's lookups, from acceptance to day 70, if each returns `outcomeOn` that day. */
function lookups(
  id: string,
  outcomeOn: (day: number) => 'pending' | 'succeeded',
  hasEvents = false,
): number[] {
  let row: Attempt = applyResult(of({ id }), { outcome: outcomeOn(0) }, { now: 0, hasEvents });
  const days: number[] = [];
  while (row.dueAt !== undefined && row.dueAt <= 70 * DAY_MS) {
    const now = row.dueAt;
    days.push(now / DAY_MS);
    row = applyResult(row as Open<Attempt>, { outcome: outcomeOn(now / DAY_MS) }, { now, hasEvents });
  }
  return days;
}

/** As varied as real ids. */
const ids = Array.from({ length: 1_000 }, (_, number) => `pay_${(number * 2_654_435_761).toString(36)}`);

it.each([
  { name: 'stays pending', settlesOn: Infinity },
  { name: 'settles on the third day', settlesOn: 3 },
  { name: 'settles at once', settlesOn: 0 },
])('R-44 looks up a bank payment that $name 10 to 19 times in 70 days', ({ settlesOn }) => {
  const all = ids.map((id) => lookups(id, (day) => (day < settlesOn ? 'pending' : 'succeeded')));
  const counts = all.map(({ length }) => length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
  expect(Math.max(...counts)).toBeLessThanOrEqual(19);
  // The delay is at most half of the payment's age or a week, plus a quarter for the spread.
  const waits = all.flatMap((days) => days.map((day, index) => ({ day, before: days[index - 1] ?? 0 })));
  const allowed = (before: number): number => Math.min(Math.max(before / 2, 2) * 1.25, 8.75);
  expect(waits.filter(({ day, before }) => day - before > allowed(before) + 1e-6)).toEqual([]);
});

it('R-102 keeps the reference of a return that a lookup finds, if there is no other', () => {
  const returned = { outcome: 'returned', reference: 'ch_1' } as const;
  const pending = of({ status: 'pending', dueAt: 1 });
  expect(applyResult(pending, returned, { now: 2 })).toMatchObject({ reference: 'ch_1' });
  expect(applyResult(pending, returned, { now: 2, byEvent: true })).not.toHaveProperty('reference');
});

it('R-97 spreads the lookups of bank payments made at the same time', () => {
  // The second lookup follows after 0.75 to 1.25 days. Of 20 equal parts of that time, each has at most 80 of 1,000.
  const parts = Array.from({ length: 20 }, () => 0);
  for (const id of ids) {
    const wait = Number(lookups(id, () => 'pending')[1]) - 2;
    parts[Math.floor((wait - 0.75) * 40)]! += 1;
  }
  expect(parts.reduce((sum, count) => sum + count)).toBe(ids.length);
  expect(Math.max(...parts)).toBeLessThanOrEqual(80);
});

it('R-102 looks up a bank payment after a week without an event, if the processor sends events', () => {
  expect(lookups('pay_1', () => 'pending', true)).toEqual([7, 14, 21, 28, 35, 42, 49, 56, 63, 70]);
  expect(lookups('pay_1', (day) => (day < 7 ? 'pending' : 'succeeded'), true)).toEqual([7]);
  expect(lookups('pay_1', () => 'succeeded', true)).toEqual([]);
});

it('R-44 settles a bank payment two days after the bank accepted it', () => {
  const pending = (now: number, lookupsBefore = 0) => due({ lookups: lookupsBefore }, 'pending', now);
  expect(pending(5_000)).toBe(5_000 + SETTLEMENT_MS);
  // The response was lost: the bank accepted the charge when it was made.
  expect(pending(5_000, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS - 1, 1)).toBe(SETTLEMENT_MS);
  expect(pending(SETTLEMENT_MS, 1)).toBeGreaterThan(SETTLEMENT_MS + DAY_MS / 2);
});

it('R-44 looks up a settled bank payment for 70 days, and none with a final outcome', () => {
  const settled = { status: 'succeeded', lookups: 3 } as const;
  expect(due(settled, 'succeeded', 70 * DAY_MS - 1)).toBeGreaterThan(75 * DAY_MS);
  expect(due(settled, 'succeeded', 70 * DAY_MS)).toBeUndefined();
  expect(applyResult(of(settled), { outcome: 'succeeded' }, { now: DAY_MS }).lookups).toBe(0);
  for (const outcome of ['declined', 'returned'] as const)
    for (const status of ['processing', 'pending', 'succeeded'] as const)
      expect(applyResult(of({ status }), { outcome }, { now: DAY_MS })).not.toHaveProperty('dueAt');
});

it('R-44 keeps a settled bank payment paid if the processor reports pending', () => {
  expect(applyResult(of({ status: 'succeeded' }), { outcome: 'pending' }, { now: DAY_MS }).status).toBe(
    'succeeded',
  );
});

it('R-64 shows the receipt for a day after the outcome, or after the payment if there is none', () => {
  const receipt = (change: Partial<Attempt>) =>
    [DAY_MS + 6, DAY_MS + 7].map((now) => showsReceipt(of(change), now));
  expect(receipt({ createdAt: 5, answeredAt: 7 })).toEqual([true, false]);
  expect(receipt({ createdAt: 7 })).toEqual([true, false]);
});

it('R-80 allows refunds up to the remaining balance of a succeeded payment only', () => {
  const left = (status: Attempt['status']) => refundable({ ...bank, status, refunded: 30 });
  expect(left('succeeded')).toBe(70);
  for (const status of ['processing', 'pending', 'declined', 'returned'] as const)
    expect(left(status)).toBe(0);
});

it('R-80 looks up a pending refund after an hour, doubling until it has an outcome', () => {
  const refund = (status: Refund['status'], lookups: number, outcome: 'pending' | 'succeeded' | 'failed') =>
    refundAnswered(
      { ...bank, attemptId: 'pay_1', leftOver: 0, status, lookups } as Open<Refund>,
      { outcome },
      { now: 0 },
    );
  const HOUR_MS = DAY_MS / 24;
  // Regardless of earlier lookups.
  expect(refund('processing', 3, 'pending')).toMatchObject({ lookups: 1, dueAt: HOUR_MS });
  expect(refund('pending', 1, 'pending')).toMatchObject({ lookups: 2, dueAt: 2 * HOUR_MS });
  expect(refund('pending', 2, 'pending')).toMatchObject({ lookups: 3, dueAt: 4 * HOUR_MS });
  for (const outcome of ['succeeded', 'failed'] as const)
    expect(refund('pending', 2, outcome)).not.toHaveProperty('dueAt');
});
