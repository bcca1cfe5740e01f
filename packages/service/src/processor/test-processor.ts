/**
 * The test processor, outside production only. The outcome depends only on the token, charges are stored in a
 * ledger, and bank payments settle after two days on the service's clock.
 */
import { DAY_MS } from '../core/day.js';
import { brandOf, BRANDS } from '../shared/card.js';
import type { ChallengeAnswer, TestCharge, TestLedger } from './rules/test-ledger.js';
import { SETTLEMENT_MS } from '../payments/rules/attempt.js';
import {
  sourceRefused,
  type BankSource,
  type CardSource,
  type ChargeOutcome,
  type LookupOutcome,
  type PaymentProcessor,
  type ProcessorContext,
  type RequiresAction,
  type ProcessorResult,
  type Tokenized,
} from './rules/port.js';

export interface Behavior {
  readonly charge: ProcessorResult<ChargeOutcome>;
  /** The payer must pass a challenge first. Without a payer, it is declined. */
  readonly isChallenged?: true;
  /** How `charge` fails. `lookup` returns the outcome anyway. */
  readonly failure?: 'hangs' | 'loses-response';
  /** The outcome of a bank payment at settlement. */
  readonly settles?: ProcessorResult<'succeeded' | 'returned'>;
  /** The bank returns it this long after the charge, even though it has settled. */
  readonly returnsLater?: { readonly afterMs: number; readonly reason: string };
}

const DECLINED: Behavior = { charge: { outcome: 'declined', reason: 'card_declined' } };

/** By name, which is also the token and so must not contain a number. */
export const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  'card-succeeded': { charge: { outcome: 'succeeded' } },
  'card-declined': DECLINED,
  'card-insufficient-funds': { charge: { outcome: 'declined', reason: 'insufficient_funds' } },
  'card-expired': { charge: { outcome: 'declined', reason: 'expired_card' } },
  'card-wrong-code': { charge: { outcome: 'declined', reason: 'incorrect_cvc' } },
  'card-lost': { charge: { outcome: 'declined', reason: 'lost_card' } },
  'card-challenged': { charge: { outcome: 'succeeded' }, isChallenged: true },
  'card-hangs': { charge: { outcome: 'succeeded' }, failure: 'hangs' },
  'card-loses-its-answer': { charge: { outcome: 'succeeded' }, failure: 'loses-response' },
  'bank-succeeded': { charge: { outcome: 'pending' }, settles: { outcome: 'succeeded' } },
  'bank-returned': { charge: { outcome: 'pending' }, settles: { outcome: 'returned', reason: 'R01' } },
  'bank-not-found': { charge: { outcome: 'pending' }, settles: { outcome: 'returned', reason: 'R03' } },
  'bank-unauthorized': {
    charge: { outcome: 'pending' },
    settles: { outcome: 'succeeded' },
    returnsLater: { afterMs: 10 * DAY_MS, reason: 'R10' },
  },
};

/** Test cards, by number. Any future month and any security code work. */
export const TEST_CARDS: Readonly<Record<string, string>> = {
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
export const TEST_ACCOUNTS: Readonly<Record<string, string>> = {
  '000123456789': 'bank-succeeded',
  '000111111116': 'bank-returned',
  '000111111113': 'bank-not-found',
  '000222222227': 'bank-unauthorized',
};

export const TEST_ROUTING_NUMBER = '110000000';

/** Refunds of these amounts, in cents, do not succeed immediately. */
export const TEST_REFUNDS: Readonly<Record<number, 'failed' | 'pending'>> = { 113: 'failed', 114: 'pending' };

const REFUND_PENDING_MS = DAY_MS;

export function createTestProcessor({
  clock,
  ledger,
}: {
  clock: { now(): number };
  ledger: TestLedger;
}): PaymentProcessor & Required<Pick<PaymentProcessor, 'refund' | 'cancel'>> {
  const lookup: PaymentProcessor['lookup'] = async (attemptId, context) => {
    const entry = await ledger.find(attemptId);
    if (!entry) return 'never_seen';
    return isChallenged(entry) ? afterChallenge(entry, context) : outcomeAt(entry, clock.now());
  };
  return {
    async tokenize(source) {
      return source.method === 'ACH' ? tokenizeAccount(source) : tokenizeCard(source);
    },
    async charge({ attemptId, token, amount, context }) {
      const entry = await ledger.charge({ attemptId, token, amount, chargedAt: clock.now() });
      if (isChallenged(entry)) return afterChallenge(entry, context);
      const { charge, failure } = behaviorOf(entry.token);
      if (failure === 'hangs') return new Promise<never>(() => undefined);
      if (failure === 'loses-response') throw new Error('The connection ended before the response arrived.');
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
    // Tokens contain no date.
    async updateExpiry() {},
  };
}

export const CHALLENGE_PATH = '/test-processor/challenge';

const CHALLENGE_OUTCOMES: Readonly<Record<ChallengeAnswer, ProcessorResult<ChargeOutcome>>> = {
  approved: { outcome: 'succeeded' },
  declined: { outcome: 'declined', reason: 'authentication_failed' },
  canceled: { outcome: 'declined', reason: 'authentication_canceled' },
};

/** Whether the charge requires a challenge, passed or not. */
export function isChallenged({ token }: TestCharge): boolean {
  return behaviorOf(token).isChallenged === true;
}

function afterChallenge(
  { attemptId, challenge }: TestCharge,
  { returnUrl }: ProcessorContext,
): ProcessorResult<ChargeOutcome> | RequiresAction {
  if (challenge !== undefined) return CHALLENGE_OUTCOMES[challenge];
  if (returnUrl === undefined) return { outcome: 'declined', reason: 'authentication_required' };
  // Relative, because the public URL may have a path.
  const url = new URL(`../..${CHALLENGE_PATH}`, returnUrl);
  url.searchParams.set('attempt', attemptId);
  return { outcome: 'requires_action', action: { url: url.href } };
}

function tokenizeCard({ cardNumber }: CardSource): Tokenized {
  const name = TEST_CARDS[cardNumber];
  if (!name) throw sourceRefused('Only test cards work here. Use 4242 4242 4242 4242.', 'cardNumber');
  const brand = brandOf(cardNumber);
  const fingerprint = `${name} ${cardNumber.slice(-4)}`;
  return { ...token(name, cardNumber), fingerprint, ...(brand && { brand: BRANDS[brand].name }) };
}

function tokenizeAccount({ routingNumber, accountNumber }: BankSource): Tokenized {
  if (routingNumber !== TEST_ROUTING_NUMBER)
    throw sourceRefused(`Only the test bank works here. Use ${TEST_ROUTING_NUMBER}.`, 'routingNumber');
  const name = TEST_ACCOUNTS[accountNumber];
  if (!name) throw sourceRefused('Only test bank accounts work here. Use 000123456789.', 'accountNumber');
  return token(name, accountNumber);
}

const PREFIX = 'test_';

function token(name: string, number: string): Tokenized {
  return { token: PREFIX + name, last4: number.slice(-4) };
}

/** Declines unknown tokens, such as those of a real processor. */
function behaviorOf(token: string): Behavior {
  return BEHAVIORS[token.slice(PREFIX.length)] ?? DECLINED;
}

function outcomeAt({ token, chargedAt }: TestCharge, now: number): ProcessorResult<LookupOutcome> {
  const { charge, settles, returnsLater } = behaviorOf(token);
  if (returnsLater && now >= chargedAt + returnsLater.afterMs)
    return { outcome: 'returned', reason: returnsLater.reason };
  return settles && now >= chargedAt + SETTLEMENT_MS ? settles : charge;
}
