import { expect, it } from 'vitest';
import { applyDelivery, RETRY_WAITS_MS } from './rules.js';
import type { OutboxMessage } from './rules.js';

const message: OutboxMessage = {
  id: 'msg_1',
  businessUnit: 'water',
  type: 'payment.succeeded',
  body: '{}',
  status: 'pending',
  attempts: 0,
  createdAt: 0,
  dueAt: 0,
  leasedUntil: 9,
};

it('R-54 retries after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then gives up', () => {
  const waits: number[] = [];
  let current = message;
  while (current.status === 'pending' && waits.length < 20) {
    current = applyDelivery(current, { type: 'unreachable', reason: 'reset' }, 0);
    waits.push(current.dueAt / 1_000);
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, 0]);
  expect(current).toMatchObject({ status: 'failed', attempts: 10, lastError: 'reset', leasedUntil: 0 });
  expect(RETRY_WAITS_MS).toHaveLength(9);
});

it.each([
  [199, 'pending'],
  [200, 'delivered'],
  [299, 'delivered'],
  [300, 'pending'],
  [410, 'disabled'],
])('R-54 a response of %d means %s', (status, expected) => {
  expect(applyDelivery(message, { type: 'answered', status }, 7).status).toBe(expected);
});
