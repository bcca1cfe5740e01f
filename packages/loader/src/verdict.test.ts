import { describe, expect, it } from 'vitest';
import type { FlowEvent, FlowResult } from './sdk.js';
import { Verdict } from './verdict.js';

const EVENTS = ['ready', 'processing', 'completed', 'expired', 'error'] as const;
const ANSWERS = ['completed', 'canceled', 'expired', 'unknown'] as const;
const ANSWER = {
  completed: { status: 'completed', detail: 1 },
  canceled: { status: 'canceled', by: 'payer' },
  expired: { status: 'expired' },
  unknown: { status: 'unknown' },
} as const satisfies Record<(typeof ANSWERS)[number], FlowResult>;

/** Records the events and then the answer, as a running flow does. */
function resultAfter(events: readonly FlowEvent['type'][], answer: (typeof ANSWERS)[number]): FlowResult {
  const verdict = new Verdict();
  for (const type of events) verdict.record({ type } as FlowEvent);
  if (answer === 'completed') verdict.record({ type: answer, detail: 1 });
  if (answer === 'expired') verdict.record({ type: answer });
  return verdict.resultOf(ANSWER[answer], undefined);
}

const pairs = EVENTS.flatMap((first) => EVENTS.map((second) => [first, second] as const));

describe.each(pairs)('R-60 after %s, then %s', (...events) => {
  it.each(ANSWERS)('and the result %s: reports only what is certain', (answer) => {
    const { status } = resultAfter(events, answer);
    const isCompleted = events.includes('completed') || answer === 'completed';
    const sent = events.lastIndexOf('processing');
    const isInFlight = sent !== -1 && sent >= events.lastIndexOf('ready');
    const isExpired = events.includes('expired') || answer === 'expired';

    if (isCompleted) expect(status).toBe('completed');
    else if (isInFlight) expect(status).toBe('unknown');
    else expect(status).toBe(isExpired ? 'expired' : answer);
  });
});

it('R-60 a payment that is sent after the session expired makes the outcome unknown until it completes', () => {
  expect(resultAfter(['expired', 'processing'], 'expired')).toEqual({ status: 'unknown' });
  expect(resultAfter(['expired', 'processing', 'completed'], 'unknown')).toMatchObject({
    status: 'completed',
  });
});

it('refuses what comes after a completed payment, and what cannot outrank an expired session', () => {
  const verdict = new Verdict();
  expect(verdict.record({ type: 'expired' })).toBe(true);
  expect(verdict.record({ type: 'ready' })).toBe(false);
  expect(verdict.record({ type: 'completed', detail: 1 })).toBe(true);
  for (const type of ['processing', 'expired', 'ready'] as const)
    expect(verdict.record({ type })).toBe(false);
  expect(verdict.resultOf({ status: 'canceled', by: 'payer' }, 'merchant')).toEqual(ANSWER.completed);
});

it('reads the payer’s next flow from the result', () => {
  const verdict = new Verdict();
  verdict.record({ type: 'completed', detail: 1 });
  const answer = { status: 'completed', detail: 1, next: 'autopay' } as const;
  expect(verdict.resultOf(answer, undefined)).toEqual(answer);
});

it('reads a renewal from the result, and who canceled from the caller', () => {
  const expired = new Verdict();
  expired.record({ type: 'expired' });
  expect(expired.resultOf({ status: 'expired', renew: true }, undefined)).toEqual({
    status: 'expired',
    renew: true,
  });
  expect(new Verdict().resultOf(ANSWER.canceled, 'merchant')).toEqual({ status: 'canceled', by: 'merchant' });
});
