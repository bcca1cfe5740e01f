/**
 * Stands in for a processor outside production: the outcome of a charge is a function of its token alone,
 * what it was asked to charge is kept in a ledger, and bank payments settle two days later on the clock.
 */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { brandOf, BRANDS } from '../shared/card.js';
import type { LedgerEntry, TestLedger } from '../storage/test-ledger.js';
import { SETTLEMENT_MS } from '../domain/attempt.js';
import { sourceRefused } from '../domain/processor.js';
import type {
  ChargeOutcome,
  LookupOutcome,
  PaymentProcessor,
  Sources,
  Told,
  Tokenized,
} from '../domain/processor.js';

/** Test cards, by number. Any later month than the clock's and any security code go with them. */
export const TEST_CARDS: Readonly<Record<string, 'succeeded' | 'declined'>> = {
  '4242424242424242': 'succeeded',
  '5555555555554444': 'succeeded',
  '378282246310005': 'succeeded',
  '6011111111111117': 'succeeded',
  '4000000000000002': 'declined',
};

/** Test bank accounts behind routing number 110000000, by account number: what becomes of them when they settle. */
export const TEST_ACCOUNTS: Readonly<Record<string, 'succeeded' | 'returned'>> = {
  '000123456789': 'succeeded',
  '000111111116': 'returned',
};

export const TEST_ROUTING_NUMBER = '110000000';

type Behaviour = 'card-succeeded' | 'card-declined' | 'bank-succeeded' | 'bank-returned';

/**
 * @param clock what time it is, ms since the epoch
 * @example
 * ```ts
 * const processor = createTestProcessor({ clock, ledger });
 * ```
 */
export function createTestProcessor(parts: {
  clock: { now(): number };
  ledger: TestLedger;
}): PaymentProcessor {
  const { clock, ledger } = parts;
  return {
    async tokenize(source) {
      return standIn(source.method, source);
    },
    async charge({ attemptId, token, amount }) {
      const entry = await ledger.charge({ attemptId, token, amount, chargedAt: clock.now() });
      return told(chargeOutcome(entry.token));
    },
    async lookup(attemptId) {
      const entry = await ledger.find(attemptId);
      return entry ? told(outcomeAt(entry, clock.now())) : 'never_seen';
    },
  };
}

const STAND_INS: { readonly [M in PaymentMethod]: (source: Sources[M]) => Tokenized } = {
  'Credit Card': ({ cardNumber }) => {
    const outcome = TEST_CARDS[cardNumber];
    if (!outcome) throw sourceRefused('Only test cards work here. Use 4242 4242 4242 4242.', 'cardNumber');
    const brand = brandOf(cardNumber);
    return {
      ...token(`card-${outcome}`, cardNumber),
      ...(brand === undefined ? {} : { brand: BRANDS[brand].name }),
    };
  },
  ACH: ({ routingNumber, accountNumber }) => {
    if (routingNumber !== TEST_ROUTING_NUMBER)
      throw sourceRefused(`Only the test bank works here. Use ${TEST_ROUTING_NUMBER}.`, 'routingNumber');
    const outcome = TEST_ACCOUNTS[accountNumber];
    if (!outcome)
      throw sourceRefused('Only test bank accounts work here. Use 000123456789.', 'accountNumber');
    return token(`bank-${outcome}`, accountNumber);
  },
};

function standIn<M extends PaymentMethod>(method: M, source: Sources[M]): Tokenized {
  return STAND_INS[method](source);
}

function token(behaviour: Behaviour, number: string): Tokenized {
  return { token: `test_${behaviour}`, last4: number.slice(-4) };
}

function chargeOutcome(token: string): ChargeOutcome {
  switch (token) {
    case 'test_card-succeeded':
      return 'succeeded';
    case 'test_bank-succeeded':
    case 'test_bank-returned':
      return 'pending';
    default:
      return 'declined';
  }
}

function outcomeAt(entry: LedgerEntry, now: number): LookupOutcome {
  const outcome = chargeOutcome(entry.token);
  if (outcome !== 'pending' || now < entry.chargedAt + SETTLEMENT_MS) return outcome;
  return entry.token === 'test_bank-returned' ? 'returned' : 'succeeded';
}

/** Why a real processor might say so: what a merchant reads in query and webhooks. */
const REASONS: Readonly<Partial<Record<LookupOutcome, string>>> = {
  declined: 'card_declined',
  returned: 'R01',
};

function told<Outcome extends LookupOutcome>(outcome: Outcome): Told<Outcome> {
  const reason = REASONS[outcome];
  return { outcome, ...(reason === undefined ? {} : { reason }) };
}
