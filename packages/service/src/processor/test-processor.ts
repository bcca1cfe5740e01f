/**
 * The test processor, outside production only. The outcome depends on the token alone, charges are kept in a
 * ledger, and bank payments settle two days later on the clock.
 */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { brandOf, BRANDS } from '../shared/card.js';
import type { ChallengeAnswer, LedgerEntry, TestLedger } from '../store/test-ledger.js';
import { SETTLEMENT_MS } from '../payments/rules/attempt.js';
import {
  sourceRefused,
  type ChargeOutcome,
  type LookupOutcome,
  type PaymentProcessor,
  type ProcessorContext,
  type RequiresAction,
  type Sources,
  type ProcessorResult,
  type Tokenized,
} from './rules/port.js';

/** The behavior of a test number. */
export interface Behaviour {
  readonly charge: ProcessorResult<ChargeOutcome>;
  /** The payer must answer a challenge first. Without a payer it is declined. */
  readonly isChallenged?: true;
  /** How `charge` fails instead of returning. `lookup` knows the outcome. */
  readonly instead?: 'hangs' | 'loses its answer';
  /** The outcome of a bank payment at settlement. */
  readonly settles?: ProcessorResult<'succeeded' | 'returned'>;
  /** The bank returns it this long after the charge, although it had settled. */
  readonly comesBack?: { readonly afterMs: number; readonly reason: string };
}

const DAY_MS = 86_400_000;

type CardBehaviour =
  | 'card-succeeded'
  | 'card-declined'
  | 'card-insufficient-funds'
  | 'card-expired'
  | 'card-wrong-code'
  | 'card-lost'
  | 'card-challenged'
  | 'card-hangs'
  | 'card-loses-its-answer';
type BankBehaviour = 'bank-succeeded' | 'bank-returned' | 'bank-not-found' | 'bank-unauthorized';
type Name = CardBehaviour | BankBehaviour;

/** By name. The name is the token, which must not contain a number. */
export const BEHAVIOURS: Readonly<Record<Name, Behaviour>> = {
  'card-succeeded': { charge: { outcome: 'succeeded' } },
  'card-declined': { charge: { outcome: 'declined', reason: 'card_declined' } },
  'card-insufficient-funds': { charge: { outcome: 'declined', reason: 'insufficient_funds' } },
  'card-expired': { charge: { outcome: 'declined', reason: 'expired_card' } },
  'card-wrong-code': { charge: { outcome: 'declined', reason: 'incorrect_cvc' } },
  'card-lost': { charge: { outcome: 'declined', reason: 'lost_card' } },
  'card-challenged': { charge: { outcome: 'succeeded' }, isChallenged: true },
  'card-hangs': { charge: { outcome: 'succeeded' }, instead: 'hangs' },
  'card-loses-its-answer': { charge: { outcome: 'succeeded' }, instead: 'loses its answer' },
  'bank-succeeded': { charge: { outcome: 'pending' }, settles: { outcome: 'succeeded' } },
  'bank-returned': { charge: { outcome: 'pending' }, settles: { outcome: 'returned', reason: 'R01' } },
  'bank-not-found': { charge: { outcome: 'pending' }, settles: { outcome: 'returned', reason: 'R03' } },
  'bank-unauthorized': {
    charge: { outcome: 'pending' },
    settles: { outcome: 'succeeded' },
    comesBack: { afterMs: 10 * DAY_MS, reason: 'R10' },
  },
};

/** Test cards, by number. Any future month and any security code work. */
export const TEST_CARDS: Readonly<Record<string, CardBehaviour>> = {
  '4242424242424242': 'card-succeeded',
  '5555555555554444': 'card-succeeded',
  '378282246310005': 'card-succeeded',
  '6011111111111117': 'card-succeeded',
  '4000000000000002': 'card-declined',
  '4000000000009995': 'card-insufficient-funds',
  '4000000000000069': 'card-expired',
  '4000000000000127': 'card-wrong-code',
  '4000000000009987': 'card-lost',
  '4000000000003220': 'card-challenged',
  '4000000000000119': 'card-hangs',
  '4000000000000267': 'card-loses-its-answer',
};

/** Test bank accounts behind routing number 110000000, by account number. */
export const TEST_ACCOUNTS: Readonly<Record<string, BankBehaviour>> = {
  '000123456789': 'bank-succeeded',
  '000111111116': 'bank-returned',
  '000111111113': 'bank-not-found',
  '000222222227': 'bank-unauthorized',
};

export const TEST_ROUTING_NUMBER = '110000000';

/** Refunds of these amounts, in cents, do not simply succeed. */
export const TEST_REFUNDS: Readonly<Record<number, 'failed' | 'pending'>> = { 113: 'failed', 114: 'pending' };

/** A pending refund succeeds after this, ms. */
const REFUND_PENDING_MS = DAY_MS;

/**
 * @param clock ms since the epoch
 * @example
 * ```ts
 * const processor = createTestProcessor({ clock, ledger });
 * ```
 */
export function createTestProcessor(parts: {
  clock: { now(): number };
  ledger: TestLedger;
}): PaymentProcessor & Required<Pick<PaymentProcessor, 'refund' | 'cancel'>> {
  const { clock, ledger } = parts;
  const lookup: PaymentProcessor['lookup'] = async (attemptId, context) => {
    const entry = await ledger.find(attemptId);
    if (!entry) return 'never_seen';
    return isChallenged(entry) ? afterChallenge(entry, context) : outcomeAt(entry, clock.now());
  };
  return {
    async tokenize(source) {
      return standIn(source.method, source);
    },
    async charge({ attemptId, token, amount, context }) {
      const entry = await ledger.charge({ attemptId, token, amount, chargedAt: clock.now() });
      if (isChallenged(entry)) return afterChallenge(entry, context);
      const { charge, instead } = behaviourOf(entry.token);
      if (instead === 'hangs') return new Promise<never>(() => undefined);
      if (instead === 'loses its answer')
        throw new Error('The connection ended before the response arrived.');
      return charge;
    },
    lookup,
    async cancel(attemptId, context) {
      await ledger.answerChallenge(attemptId, 'canceled');
      return lookup(attemptId, context);
    },
    async refund({ refundId, attemptId, amount }) {
      const { refundedAt } = await ledger.refund({ refundId, attemptId, amount, refundedAt: clock.now() });
      const outcome = TEST_REFUNDS[amount];
      if (outcome === 'failed') return { outcome, reason: 'refund_refused' };
      if (outcome === 'pending' && clock.now() < refundedAt + REFUND_PENDING_MS) return outcome;
      return 'succeeded';
    },
  };
}

export const CHALLENGE_PATH = '/test-processor/challenge';

const CHALLENGE_OUTCOMES: Readonly<Record<ChallengeAnswer, ProcessorResult<ChargeOutcome>>> = {
  approved: { outcome: 'succeeded' },
  declined: { outcome: 'declined', reason: 'authentication_failed' },
  canceled: { outcome: 'declined', reason: 'authentication_canceled' },
};

/** Whether a charge waits, or has waited, for its payer. */
export function isChallenged({ token }: LedgerEntry): boolean {
  return behaviourOf(token).isChallenged === true;
}

function afterChallenge(
  { attemptId, challenge }: LedgerEntry,
  { returnUrl }: ProcessorContext,
): ProcessorResult<ChargeOutcome> | RequiresAction {
  if (challenge !== undefined) return CHALLENGE_OUTCOMES[challenge];
  if (returnUrl === undefined) return { outcome: 'declined', reason: 'authentication_required' };
  // Next to the pages, whose address may have a path.
  const url = new URL(`../..${CHALLENGE_PATH}`, returnUrl);
  url.searchParams.set('attempt', attemptId);
  return { outcome: 'requires_action', action: { url: url.href } };
}

const STAND_INS: { readonly [M in PaymentMethod]: (source: Sources[M]) => Tokenized } = {
  'Credit Card': ({ cardNumber }) => {
    const name = TEST_CARDS[cardNumber];
    if (!name) throw sourceRefused('Only test cards work here. Use 4242 4242 4242 4242.', 'cardNumber');
    const brand = brandOf(cardNumber);
    const fingerprint = `${name} ${cardNumber.slice(-4)}`;
    return {
      ...token(name, cardNumber),
      fingerprint,
      ...(brand === undefined ? {} : { brand: BRANDS[brand].name }),
    };
  },
  ACH: ({ routingNumber, accountNumber }) => {
    if (routingNumber !== TEST_ROUTING_NUMBER)
      throw sourceRefused(`Only the test bank works here. Use ${TEST_ROUTING_NUMBER}.`, 'routingNumber');
    const name = TEST_ACCOUNTS[accountNumber];
    if (!name) throw sourceRefused('Only test bank accounts work here. Use 000123456789.', 'accountNumber');
    return token(name, accountNumber);
  },
};

function standIn<M extends PaymentMethod>(method: M, source: Sources[M]): Tokenized {
  return STAND_INS[method](source);
}

const PREFIX = 'test_';

function token(name: Name, number: string): Tokenized {
  return { token: PREFIX + name, last4: number.slice(-4) };
}

/** Unknown tokens, such as those of an earlier real processor, are declined. */
function behaviourOf(token: string): Behaviour {
  const name = token.slice(PREFIX.length);
  return Object.hasOwn(BEHAVIOURS, name) ? BEHAVIOURS[name as Name] : BEHAVIOURS['card-declined'];
}

function outcomeAt({ token, chargedAt }: LedgerEntry, now: number): ProcessorResult<LookupOutcome> {
  const { charge, settles, comesBack } = behaviourOf(token);
  if (comesBack && now >= chargedAt + comesBack.afterMs)
    return { outcome: 'returned', reason: comesBack.reason };
  return settles && now >= chargedAt + SETTLEMENT_MS ? settles : charge;
}
