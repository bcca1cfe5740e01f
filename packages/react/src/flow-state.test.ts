import { describe, expect, it } from 'vitest';
import { LoaderError } from '@embedded-sessions/loader';
import { EmbeddedPaymentError } from './error.js';
import {
  hasExpired,
  IDLE,
  parseSession,
  reasonAfter,
  resultOf,
  transition,
  type FlowState,
  type PaymentResult,
  type Step,
} from './flow-state.js';

const URL_1 = 'https://pay.example.com/s/1#secret';
const failed: PaymentResult = {
  status: 'failed',
  error: new EmbeddedPaymentError({ code: 'offline', message: 'Try again' }),
};
const completed: PaymentResult = { status: 'completed', detail: 1 };
const after = (...steps: Step[]): FlowState => steps.reduce(transition, IDLE);

describe('transition', () => {
  it.each<[Step[], Partial<FlowState>]>([
    [[], { status: 'idle', result: null, error: null }],
    [[{ type: 'started' }], { status: 'preparing', result: null }],
    [[{ type: 'started' }, { type: 'opened' }], { status: 'open', result: null }],
    [[{ type: 'started' }, { type: 'settled', result: failed }], { result: failed, error: failed.error }],
    [
      [{ type: 'started' }, { type: 'opened' }, { type: 'settled', result: completed }],
      { status: 'settled', result: completed, error: null },
    ],
    [
      [{ type: 'started' }, { type: 'settled', result: completed }, { type: 'started' }],
      { status: 'preparing', result: null },
    ],
  ])('%j leads on', (steps, state) => {
    expect(after(...steps)).toMatchObject(state);
  });

  it.each<[string, Step[], Step]>([
    ['a second start', [{ type: 'started' }], { type: 'started' }],
    ['a reset of a running flow', [{ type: 'started' }, { type: 'opened' }], { type: 'reset' }],
    ['opening out of nothing', [], { type: 'opened' }],
    ['a verdict out of nothing', [], { type: 'settled', result: completed }],
    [
      'a second verdict',
      [{ type: 'started' }, { type: 'settled', result: completed }],
      { type: 'settled', result: failed },
    ],
    [
      'opening after the verdict',
      [{ type: 'started' }, { type: 'settled', result: completed }],
      { type: 'opened' },
    ],
  ])('%s changes nothing, not even the identity', (_what, steps, step) => {
    const state = after(...steps);
    expect(transition(state, step)).toBe(state);
  });
});

it.each<[PaymentResult, string]>([
  [completed, 'initial'],
  [{ status: 'canceled', by: 'payer' }, 'initial'],
  [{ status: 'expired' }, 'expired'],
  [{ status: 'unknown' }, 'retry'],
  [failed, 'retry'],
])('the reason after %j is %s', (result, reason) => {
  expect(reasonAfter(after({ type: 'started' }, { type: 'settled', result }))).toBe(reason);
});

it.each([
  ['payment', URL_1, 30 * 60_000],
  ['wallet', URL_1, 60 * 60_000],
  ['other', { sessionUrl: URL_1 }, 60 * 60_000],
  ['payment', { sessionUrl: URL_1, expiresInMs: 1_000 }, 1_000],
  ['payment', { sessionUrl: URL_1, expiresInMs: 0 }, 0],
] as const)('R-51 a %s session %j lives %d ms from its receipt', (flow, ref, lifetimeMs) => {
  expect(hasExpired({ ref, at: 5 }, flow, 5 + lifetimeMs - 1)).toBe(false);
  expect(hasExpired({ ref, at: 5 }, flow, 5 + lifetimeMs)).toBe(true);
});

it('a session is passed on as it came', () => {
  const receipt = { sessionUrl: URL_1, environment: 'staging', sessionId: 'stg_1' };
  expect(parseSession(receipt)).toBe(receipt);
  expect(parseSession(URL_1)).toBe(URL_1);
});

const offline = new LoaderError('offline', 'Offline', { a: 1 });
const aborted = new LoaderError('aborted', 'Aborted');

it.each<[string, Parameters<typeof resultOf>, unknown]>([
  ['an abort while preparing', [new Event('abort'), true, false], { status: 'canceled', by: 'merchant' }],
  ['any failure of an abort while preparing', [offline, true, false], { status: 'canceled', by: 'merchant' }],
  [
    'an abort that the loader met before it opened',
    [aborted, true, true],
    { status: 'canceled', by: 'merchant' },
  ],
  ['a failure after an abort', [offline, true, true], { status: 'failed', error: { code: 'offline' } }],
  [
    'an aborted that nobody asked for',
    [aborted, false, true],
    { status: 'failed', error: { code: 'aborted' } },
  ],
  [
    'an error of the loader',
    [offline, false, false],
    { error: { code: 'offline', message: 'Offline', retryable: true, details: { a: 1 }, cause: offline } },
  ],
  [
    'anything else',
    ['?', false, true],
    { error: { code: 'flow_failed', retryable: false, details: {}, cause: '?' } },
  ],
  ['its own error', [failed.error, false, true], { error: failed.error }],
])('%s', (_what, args, result) => {
  expect(resultOf(...args)).toMatchObject(result as object);
});
