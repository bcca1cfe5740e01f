import { expect, it } from 'vitest';
import type { InspectorEvent } from '@shared/inspector.js';
import { groupErrors } from './errors.js';

let id = 0;
const event = (title: string, level: InspectorEvent['level'] = 'error'): InspectorEvent => ({
  id: ++id,
  at: '2026-11-22T08:00:00.000Z',
  clock: '2026-11-22T08:00:00.000Z',
  kind: 'payment',
  level,
  title,
});

it('R-90 groups errors that differ only in amounts and ids, and shows the latest of each group', () => {
  const newestFirst = [
    event('Payment of $12.34 is declined'),
    event('Session is Open', 'info'),
    event('POST /integrations/embedded/query → 404 not_found'),
    event('Payment of $5.00 is declined'),
  ];
  expect(groupErrors(newestFirst).map(({ title, count, last }) => [title, count, last])).toEqual([
    ['Payment of … is declined', 2, newestFirst[0]],
    ['POST /integrations/embedded/query → 404 not_found', 1, newestFirst[2]],
  ]);
});
