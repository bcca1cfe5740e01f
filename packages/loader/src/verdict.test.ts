import { describe, expect, it } from 'vitest';
import type { FlowEvent, FlowResult } from './sdk.js';
import { statusOf, Verdict } from './verdict.js';

const EVENTS = ['ready', 'processing', 'completed', 'expired', 'error'] as const;
const SDK_RESULT = {
  completed: { status: 'completed', detail: 1 },
  canceled: { status: 'canceled', by: 'payer' },
  expired: { status: 'expired' },
  unknown: { status: 'unknown' },
} as const satisfies Record<FlowResult['status'], FlowResult>;
const RESULTS = Object.keys(SDK_RESULT) as FlowResult['status'][];

/** Records the events, then the SDK's result, as a running flow does. */
function resultAfter(events: readonly FlowEvent['type'][], sdkResult: FlowResult['status']): FlowResult {
  const verdict = new Verdict();
  for (const type of events) verdict.record({ type } as FlowEvent);
  if (sdkResult === 'completed') verdict.record({ type: sdkResult, detail: 1 });
  if (sdkResult === 'expired') verdict.record({ type: sdkResult });
  return verdict.resultOf(SDK_RESULT[sdkResult], undefined);
}

const pairs = EVENTS.flatMap((first) => EVENTS.map((second) => [first, second] as const));

describe.each(pairs)('R-60 after %s, then %s', (...events) => {
  it.each(RESULTS)('and the SDK’s result %s, reports only what is certain', (sdkResult) => {
    const { status } = resultAfter(events, sdkResult);
    const isCompleted = events.includes('completed') || sdkResult === 'completed';
    const sent = events.lastIndexOf('processing');
    const isInFlight = sent !== -1 && sent >= events.lastIndexOf('ready');
    const isExpired = events.includes('expired') || sdkResult === 'expired';

    if (isCompleted) expect(status).toBe('completed');
    else if (isInFlight) expect(status).toBe('unknown');
    else expect(status).toBe(isExpired ? 'expired' : sdkResult);
  });
});

it('R-60 is unknown after a payment is sent in an expired session, until it completes', () => {
  expect(resultAfter(['expired', 'processing'], 'expired')).toEqual({ status: 'unknown' });
  expect(resultAfter(['expired', 'processing', 'completed'], 'unknown')).toMatchObject({
    status: 'completed',
  });
});

it.each(RESULTS)('reads the status %s of an SDK’s result', (status) => {
  expect(statusOf(SDK_RESULT[status])).toBe(status);
});

it('ignores events after a completed payment, and events that can’t override an expired session', () => {
  const verdict = new Verdict();
  expect(verdict.record({ type: 'expired' })).toBe(true);
  expect(verdict.record({ type: 'ready' })).toBe(false);
  expect(verdict.record({ type: 'completed', detail: 1 })).toBe(true);
  for (const type of ['processing', 'expired', 'ready'] as const)
    expect(verdict.record({ type })).toBe(false);
  expect(verdict.resultOf({ status: 'canceled', by: 'payer' }, 'merchant')).toEqual(SDK_RESULT.completed);
});

it('keeps the detail of the first verdict', () => {
  const verdict = new Verdict();
  verdict.record({ type: 'completed', detail: 1 });
  expect(verdict.resultOf({ status: 'completed', detail: 2 }, undefined)).toEqual(SDK_RESULT.completed);
});

it('takes the payer’s next flow from the SDK’s result', () => {
  const verdict = new Verdict();
  verdict.record({ type: 'completed', detail: 1 });
  const sdkResult = { status: 'completed', detail: 1, next: 'autopay' } as const;
  expect(verdict.resultOf(sdkResult, undefined)).toEqual(sdkResult);
});

it('takes a renewal from the SDK’s result, and who canceled from the caller', () => {
  const expired = new Verdict();
  expired.record({ type: 'expired' });
  expect(expired.resultOf({ status: 'expired', renew: true }, undefined)).toEqual({
    status: 'expired',
    renew: true,
  });
  expect(new Verdict().resultOf(SDK_RESULT.canceled, 'merchant')).toEqual({
    status: 'canceled',
    by: 'merchant',
  });
});
