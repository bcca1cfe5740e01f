import { describe, expect, it } from 'vitest';
import { LoaderError } from '@embedded-sessions/loader';
import { FLOWS } from '@embedded-sessions/server-types';
import { EmbeddedPaymentError } from './error.js';
import {
  hasExpired,
  IDLE,
  OPEN,
  parseSession,
  PREPARING,
  reasonAfter,
  resultOf,
  settledWith,
  transition,
  type FlowState,
  type PaymentResult,
} from './flow-state.js';

const URL_1 = 'https://pay.example.com/s/1#secret';
const failed: PaymentResult = {
  status: 'failed',
  error: new EmbeddedPaymentError('offline', 'Try again'),
};
const completed: PaymentResult = { status: 'completed', detail: 1 };
const after = (...steps: FlowState[]): FlowState => steps.reduce(transition, IDLE);
const paid = settledWith(completed);

describe('transition', () => {
  it.each<[FlowState[], Partial<FlowState>]>([
    [[], { status: 'idle', result: null, error: null }],
    [[PREPARING], { status: 'preparing', result: null }],
    [[PREPARING, OPEN], { status: 'open', result: null }],
    [[PREPARING, settledWith(failed)], { status: 'settled', result: failed, error: failed.error }],
    [[PREPARING, OPEN, paid], { status: 'settled', result: completed, error: null }],
    [[PREPARING, paid, PREPARING], { status: 'preparing', result: null }],
    [[PREPARING, paid, IDLE], { status: 'idle', result: null }],
  ])('reaches the expected state after %j', (steps, state) => {
    expect(after(...steps)).toMatchObject(state);
  });

  it.each<[string, FlowState[], FlowState]>([
    ['a second start', [PREPARING], PREPARING],
    ['a start of an open flow', [PREPARING, OPEN], PREPARING],
    ['a reset of a running flow', [PREPARING, OPEN], IDLE],
    ['a reset of nothing', [], IDLE],
    ['opening out of nothing', [], OPEN],
    ['a verdict out of nothing', [], paid],
    ['a second verdict', [PREPARING, paid], settledWith(failed)],
    ['opening after the verdict', [PREPARING, paid], OPEN],
  ])('returns the same object for %s', (_what, steps, step) => {
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
  expect(reasonAfter(settledWith(result))).toBe(reason);
});

it.each([
  ['payment', URL_1, 30 * 60_000],
  ['wallet', URL_1, 60 * 60_000],
  ['other', { sessionUrl: URL_1 }, 60 * 60_000],
  ['payment', { sessionUrl: URL_1, expiresInMs: 1_000 }, 1_000],
  ['payment', { sessionUrl: URL_1, expiresInMs: 0 }, 0],
  // A backend may write null for unknown values.
  ['payment', { sessionUrl: URL_1, expiresInMs: null as never }, 30 * 60_000],
] as const)('R-51 a %s session %j expires %d ms after its receipt', (flow, ref, lifetimeMs) => {
  expect(hasExpired({ ref, at: 5 }, flow, 5 + lifetimeMs - 1)).toBe(false);
  expect(hasExpired({ ref, at: 5 }, flow, 5 + lifetimeMs)).toBe(true);
});

it.each(Object.entries(FLOWS))(
  'R-51 a %s session has the lifetime of the contract',
  (name, { lifetimeMs }) => {
    const flow = name as keyof typeof FLOWS;
    expect(hasExpired({ ref: URL_1, at: 0 }, flow, lifetimeMs - 1)).toBe(false);
    expect(hasExpired({ ref: URL_1, at: 0 }, flow, lifetimeMs)).toBe(true);
  },
);

it('passes a session on unchanged', () => {
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
    'an abort before the loader opened anything',
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
    {
      error: {
        code: 'offline',
        message: offline.message,
        retryable: true,
        details: { a: 1 },
        cause: offline,
      },
    },
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
