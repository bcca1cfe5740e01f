import { createHmac } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { connect } from '../platform/databases/connect.js';
import { createTestProcessor } from '../processor/test-processor.js';
import { migrate } from '../store/migrate.js';
import { testLedger } from '../store/test-ledger.js';
import type {
  Charge,
  EventDelivery,
  PaymentProcessor,
  PaymentSource,
  ProcessorContext,
  ProcessorEvent,
  Refund,
  ProcessorResult,
  RequiresAction,
} from '../processor/rules/port.js';
import { checkProcessor, type Guarantee, type ProcessorCheckOptions } from './index.js';
import { CARD } from './options.js';

const KEY = 'sk_test_of_the_provider';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it('the test processor keeps every guarantee', async () => {
  const connection = await connect(':memory:');
  closing.push(() => connection.close());
  await migrate(connection);
  const ledger = testLedger(connection);
  const processor = createTestProcessor({ clock: { now: () => 0 }, ledger });
  const failures = await checkProcessor(processor, {
    challengedCard: { ...CARD, cardNumber: '4000000000003220' },
    books: {
      charged: async (id) => {
        const entry = await ledger.find(id);
        return entry && !/declined|challenged/.test(entry.token) ? [entry.amount] : [];
      },
    },
  });
  expect(failures).toEqual([]);
});

type Cancel = NonNullable<PaymentProcessor['cancel']>;

interface Made {
  reference: string;
  cents: number[];
  outcome: 'succeeded' | 'declined' | 'requires_action';
}

/** An adapter whose provider is a map. Each subclass breaks one guarantee. */
class Adapter implements PaymentProcessor {
  readonly charges = new Map<string, Made>();
  readonly refunds = new Map<string, { reference: string; cents: number[] }>();
  readonly forgotten = new Set<string>();
  readonly frameOrigins = ['https://challenges.example'];
  losesAnswers = false;
  #references = 0;
  #tokens = 0;

  async tokenize(source: PaymentSource, _context: ProcessorContext) {
    const number = source.method === 'ACH' ? source.accountNumber : source.cardNumber;
    if (number === '4000000000000069') throw this.refusal(number);
    return { token: this.token(number), last4: number.slice(-4), fingerprint: this.fingerprint() };
  }
  token(number: string): string {
    return `tok_${this.#tokens++}_${KINDS.get(number) ?? 'good'}`;
  }
  refusal(_number: string): Error {
    return Object.assign(new Error('This card is not accepted.'), { code: 'source_refused' });
  }
  fingerprint(): string {
    return 'fp';
  }

  async charge({ attemptId, token, amount }: Charge): ReturnType<PaymentProcessor['charge']> {
    if (token === 'tok_unknown' || this.forgotten.has(token)) throw this.providerError();
    const charge = this.charges.get(attemptId) ?? this.make(token, this.cents(amount));
    this.charges.set(attemptId, charge);
    if (this.losesAnswers) throw this.providerError();
    return this.toResult(charge);
  }
  toResult({ outcome, reference }: Made): ProcessorResult<'succeeded' | 'declined'> | RequiresAction {
    if (outcome !== 'requires_action') return { outcome, reference };
    return { outcome, reference, action: { url: 'https://challenges.example/7' } };
  }
  cents(amount: number): number {
    return amount;
  }
  make(token: string, cents: number) {
    const kind = OUTCOMES.find((each) => token.endsWith(each));
    const outcome = kind ?? ('succeeded' as const);
    return { reference: this.nextReference(), cents: kind === undefined ? [cents] : [], outcome };
  }
  nextReference(): string {
    return `ch_${this.#references++}`;
  }
  providerError(): Error {
    return Object.assign(new Error('The provider does not answer.'), { status: 503 });
  }

  lookup: PaymentProcessor['lookup'] = async (attemptId) => {
    const charge = this.charges.get(attemptId);
    return charge ? this.toResult(charge) : 'never_seen';
  };

  cancel: Cancel = async (attemptId, context) => {
    const charge = this.charges.get(attemptId);
    if (charge?.outcome === 'requires_action') charge.outcome = 'declined';
    return this.lookup(attemptId, context);
  };

  async forget(token: string) {
    this.forgotten.add(token);
  }

  async refund({ refundId, amount }: Refund) {
    const refund = this.refunds.get(refundId) ?? { reference: this.nextReference(), cents: [amount] };
    this.refunds.set(refundId, refund);
    if (this.losesAnswers) throw this.providerError();
    return { outcome: 'succeeded' as const, reference: refund.reference };
  }

  async receive({ headers, body }: EventDelivery): Promise<ProcessorEvent[]> {
    if (headers.get('x-signature') !== sign(body)) throw new Error('wrong signature');
    return this.events();
  }
  events(): ProcessorEvent[] {
    return [...this.charges].flatMap(([attemptId, { outcome }]) =>
      outcome === 'requires_action' ? [] : [{ attemptId, outcome }],
    );
  }
}

const OUTCOMES = ['declined', 'requires_action'] as const;
const KINDS = new Map([
  ['4000000000000002', 'declined'],
  ['4000000000003220', 'requires_action'],
]);

const sign = (body: Uint8Array): string => createHmac('sha256', 'webhook').update(body).digest('hex');

function check(adapter: Adapter, options: ProcessorCheckOptions = {}) {
  const body = new TextEncoder().encode('{"type":"settled"}');
  return checkProcessor(adapter, {
    secrets: [KEY],
    challengedCard: { ...CARD, cardNumber: '4000000000003220' },
    books: {
      charged: async (id) => adapter.charges.get(id)?.cents ?? [],
      refunded: async (id) => adapter.refunds.get(id)?.cents ?? [],
    },
    loseAnswers: async (work) => {
      adapter.losesAnswers = true;
      return work().finally(() => (adapter.losesAnswers = false));
    },
    deliveries: async () => [{ headers: new Headers({ 'x-signature': sign(body) }), body }],
    lookupWithinMs: 200,
    ...options,
  });
}

it('an adapter that keeps every guarantee passes', async () => {
  expect(await check(new Adapter())).toEqual([]);
});

it('lookups may reject until they know a charge', async () => {
  const adapter = new Adapter();
  const seen = new Map<string, number>();
  adapter.lookup = async (id) => {
    const found = adapter.charges.get(id);
    if (!found) return 'never_seen';
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if ((seen.get(id) ?? 0) < 3) throw new Error('The index is behind.');
    return adapter.toResult(found);
  };
  expect((await check(adapter)).filter(({ guarantee }) => guarantee === 'lost-answers')).toEqual([]);
});

it('repeats a charge with identical arguments, like the service', async () => {
  const adapter = new Adapter();
  const requests = new Map<string, Set<string>>();
  const charge = adapter.charge.bind(adapter);
  adapter.charge = async (input) => {
    const sent = requests.get(input.attemptId) ?? new Set();
    requests.set(input.attemptId, sent.add(JSON.stringify(input)));
    vi.setSystemTime(Date.now() + 1_000);
    return charge(input);
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  const failures = await check(adapter);
  vi.useRealTimers();
  expect(failures).toEqual([]);
  expect([...requests.values()].filter(({ size }) => size > 1)).toEqual([]);
});

/** Remembers a charge only after a moment, so that concurrent calls do not see each other. */
class Racing extends Adapter {
  override async charge(charge: Charge) {
    const known = this.charges.get(charge.attemptId);
    if (known) return this.toResult(known);
    await new Promise((resolve) => setImmediate(resolve));
    const made = this.make(charge.token, charge.amount);
    const cents = [...(this.charges.get(charge.attemptId)?.cents ?? []), ...made.cents];
    this.charges.set(charge.attemptId, { ...made, cents });
    return this.toResult(made);
  }
}

class RacingRefunds extends Adapter {
  override async refund({ refundId, amount }: Refund) {
    const cents = [...(this.refunds.get(refundId)?.cents ?? []), amount];
    const refund = { reference: 're_same', cents };
    this.refunds.set(refundId, refund);
    return { outcome: 'succeeded' as const, reference: refund.reference };
  }
}

const broken: readonly [Guarantee, string, Adapter][] = [
  ['charges-once', 'charges twice when called twice at once', new Racing()],
  [
    'charges-once',
    'takes two charges of one amount for one',
    new (class extends Adapter {
      override nextReference = () => 'ch_same';
    })(),
  ],
  ['refunds-once', 'refunds each time it is called', new RacingRefunds()],
  [
    'amounts',
    'counts in dollars',
    new (class extends Adapter {
      override cents = (amount: number) => Math.floor((amount / 100) * 100);
    })(),
  ],
  [
    'tokens',
    'makes a new fingerprint each time',
    new (class extends Adapter {
      override fingerprint = () => this.nextReference();
    })(),
  ],
  [
    'declines',
    'forgets declined charges',
    new (class extends Adapter {
      override lookup: PaymentProcessor['lookup'] = async (id) => {
        const found = this.charges.get(id);
        return found && found.outcome !== 'declined' ? this.toResult(found) : 'never_seen';
      };
    })(),
  ],
  [
    'bank-payments',
    'declines bank payments',
    new (class extends Adapter {
      override async charge(charge: Charge) {
        const response = await super.charge(charge);
        return charge.context.method === 'ACH' ? ('declined' as const) : response;
      }
    })(),
  ],
  [
    'lookups',
    'needs the reference',
    new (class extends Adapter {
      override lookup: PaymentProcessor['lookup'] = async (id, { reference }) => {
        const found = this.charges.get(id);
        return found && reference !== undefined ? this.toResult(found) : 'never_seen';
      };
    })(),
  ],
  [
    'lost-answers',
    'answers never_seen while its index is behind',
    new (class extends Adapter {
      readonly #seen = new Set<string>();
      override lookup: PaymentProcessor['lookup'] = async (id) => {
        const isIndexed = this.#seen.has(id);
        this.#seen.add(id);
        const found = this.charges.get(id);
        return isIndexed && found ? this.toResult(found) : 'never_seen';
      };
    })(),
  ],
  [
    'lost-answers',
    'cannot repeat a charge whose response was lost',
    new (class extends Adapter {
      readonly #lost = new Set<string>();
      override async charge(charge: Charge) {
        if (this.losesAnswers) this.#lost.add(charge.attemptId);
        else if (this.#lost.has(charge.attemptId)) throw this.providerError();
        return super.charge(charge);
      }
    })(),
  ],
  [
    'lost-answers',
    'answers declined if it hears nothing',
    new (class extends Adapter {
      override async charge(charge: Charge) {
        return super.charge(charge).catch(() => ({ outcome: 'declined' as const, reference: '' }));
      }
    })(),
  ],
  [
    'secrets',
    'repeats the card number in an error',
    new (class extends Adapter {
      override refusal = (number: string) =>
        new Error(`Card ${number.slice(0, 8)} ${number.slice(8)} is bad`);
    })(),
  ],
  [
    'tokens',
    'resolves more than the service keeps',
    new (class extends Adapter {
      override fingerprint = () => 'x'.repeat(201);
    })(),
  ],
  [
    'secrets',
    'attaches the request with its key to an error',
    new (class extends Adapter {
      override providerError = () =>
        Object.assign(new Error('503'), { request: { headers: { authorization: `Bearer ${KEY}` } } });
    })(),
  ],
  [
    'events',
    'checks no signature',
    new (class extends Adapter {
      override receive = async () => [{ attemptId: 'pay_1', outcome: 'succeeded' as const }];
    })(),
  ],
  [
    'events',
    'reads a replay differently',
    new (class extends Adapter {
      override async receive(delivery: EventDelivery) {
        const [event] = await super.receive(delivery);
        return [{ ...event, outcome: 'succeeded' as const, reference: this.nextReference() }];
      }
    })(),
  ],
  [
    'events',
    'reports another outcome than it answered',
    new (class extends Adapter {
      override events = () =>
        [...this.charges.keys()].map((attemptId) => ({ attemptId, outcome: 'declined' as const }));
    })(),
  ],
  [
    'events',
    'reports an outcome that a charge cannot have',
    new (class extends Adapter {
      override events = () => [{ attemptId: 'pay_1', outcome: 'failed' as const }];
    })(),
  ],
  [
    'challenges',
    'takes a payment back if its challenge is canceled late',
    new (class extends Adapter {
      override cancel: Cancel = async (attemptId) => {
        this.charges.set(attemptId, { reference: '', cents: [], outcome: 'declined' });
        return 'declined';
      };
    })(),
  ],
  [
    'challenges',
    'shows challenges of an origin that it does not list',
    new (class extends Adapter {
      override readonly frameOrigins = [];
    })(),
  ],
  [
    'challenges',
    'declines cards that need their payer',
    new (class extends Adapter {
      override toResult = ({ outcome, reference }: Made) => ({
        outcome: outcome === 'succeeded' ? outcome : ('declined' as const),
        reference,
      });
    })(),
  ],
  [
    'challenges',
    'does not end a challenge',
    new (class extends Adapter {
      override cancel: Cancel = async () => 'pending';
    })(),
  ],
  [
    'tokens',
    'cannot charge a card whose expiry date was changed',
    new (class extends Adapter {
      async updateExpiry(token: string) {
        this.forgotten.add(token);
      }
      override make(token: string, cents: number) {
        return this.forgotten.has(token)
          ? { reference: this.nextReference(), cents: [], outcome: 'declined' as const }
          : super.make(token, cents);
      }
    })(),
  ],
  [
    'forgets',
    'has one token for a card',
    new (class extends Adapter {
      override token = (number: string) => `tok_${KINDS.get(number) ?? 'good'}`;
    })(),
  ],
  [
    'forgets',
    'rejects a token that it has forgotten',
    new (class extends Adapter {
      override async forget(token: string) {
        if (this.forgotten.has(token)) throw this.providerError();
        return super.forget(token);
      }
    })(),
  ],
  [
    'forgets',
    'forgets the payments too',
    new (class extends Adapter {
      override async forget() {
        this.charges.clear();
      }
    })(),
  ],
];

it.each(broken)('%s: finds an adapter that %s', async (guarantee, _, adapter) => {
  const found = (await check(adapter)).map((failure) => failure.guarantee);
  expect(found).toContain(guarantee);
});

it('has a broken adapter for every guarantee', async () => {
  const { CHECKS } = await import('./guarantees.js');
  expect(new Set(broken.map(([guarantee]) => guarantee))).toEqual(new Set(Object.keys(CHECKS)));
});

/** Remembers the charges of its own process only. */
class Forgetful extends Adapter {
  readonly #own = new Map<string, Made>();
  constructor(charges: Map<string, Made>) {
    super();
    Object.assign(this, { charges });
  }
  override async charge({ attemptId, token, amount }: Charge) {
    const made = this.#own.get(attemptId) ?? this.make(token, amount);
    if (!this.#own.has(attemptId)) {
      const cents = [...(this.charges.get(attemptId)?.cents ?? []), ...made.cents];
      this.charges.set(attemptId, { ...made, cents });
    }
    this.#own.set(attemptId, made);
    return this.toResult(made);
  }
}

it('finds an adapter that remembers charges in its memory, if it gets another instance', async () => {
  const charges = new Map<string, Made>();
  const alone = await check(new Forgetful(charges));
  const both = await check(new Forgetful(charges), { others: [new Forgetful(charges)] });
  const [before, after] = [alone, both].map((failures) => failures.map(({ guarantee }) => guarantee));
  expect(before).not.toContain('charges-once');
  expect(after).toContain('charges-once');
});

it.each([
  [
    'names an outcome that does not exist',
    new (class extends Adapter {
      override charge = async () => 'SUCCEEDED' as never;
    })(),
    'charge returned an outcome "SUCCEEDED" or amount that it cannot have',
  ],
  [
    'says that an unknown id must be never_seen',
    new (class extends Adapter {
      override lookup: PaymentProcessor['lookup'] = async (attemptId) => {
        const charge = this.charges.get(attemptId);
        return charge ? this.toResult(charge) : ({ outcome: 'not_found' } as never);
      };
    })(),
    'the lookup of an unknown id must return never_seen: lookup returned an outcome "not_found" or amount that it cannot have',
  ],
] as const)('%s', async (_, adapter, message) => {
  expect(await checkProcessor(adapter, { lookupWithinMs: 100 })).toContainEqual(
    expect.objectContaining({ message }),
  );
});

it('finds double charges without books, by their references', async () => {
  const failures = await checkProcessor(new Racing());
  expect(failures).toContainEqual({
    guarantee: 'charges-once',
    message: expect.stringContaining('different results'),
  });
});
