/** The guarantees that the service relies on. A check rejects or reports a violation. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { contradicts } from '../payments/rules/attempt.js';
import { readEvents, readLookup, readRefund } from '../processor/rules/response.js';
import type { PaymentProcessor, ProcessorEvent } from '../processor/rules/port.js';
import { agree, RETURN_URL, type Calls, type Charged, type LookedUp, type Token } from './calls.js';
import { BANK, CARD, DECLINED_CARD, UNUSUAL_CARD, type ProcessorCheckOptions } from './options.js';

/** A guarantee that a processor module must keep. */
export type Guarantee =
  | 'tokens'
  | 'charges-once'
  | 'amounts'
  | 'declines'
  | 'bank-payments'
  | 'lookups'
  | 'lost-answers'
  | 'refunds-once'
  | 'events'
  | 'challenges'
  | 'forgets'
  | 'secrets';

export interface Kit {
  readonly calls: Calls;
  readonly options: ProcessorCheckOptions;
  readonly processor: Pick<
    PaymentProcessor,
    'frameOrigins' | 'cancel' | 'refund' | 'receive' | 'forget' | 'updateExpiry'
  >;
  /** Creates an id like the service does. */
  readonly newId: (prefix: string) => string;
  /** Reports a violation of the guarantee. */
  readonly fail: (message: string) => void;
}

export type Check = (kit: Kit) => Promise<void>;

/** Concurrent calls with the same id. */
const CONCURRENCY = 5;
/** Cents that change if converted to dollars in floating point and back. */
const AMOUNTS = [435, 1_999, 100_007];
const AMOUNT = 1_999;
const PART = 435;

const UNKNOWN: Token = { token: 'tok_unknown', last4: '0000', method: 'Credit Card' };

const card = ({ calls, options }: Kit): Promise<Token> => calls.tokenize(options.card ?? CARD);

export const CHECKS: Readonly<Record<Guarantee, Check>> = {
  tokens: async (kit) => {
    const source = kit.options.card ?? CARD;
    const [one, other] = [await card(kit), await card(kit)];
    if (one.last4 !== source.cardNumber.slice(-4)) kit.fail('last4 is not the end of the card number');
    if (one.fingerprint !== other.fingerprint)
      kit.fail('the same card has a different fingerprint each time');
    if (!kit.processor.updateExpiry) return;
    for (let sent = 0; sent < 2; sent++) await kit.calls.updateExpiry(one, '01/36');
    if ((await kit.calls.charge(kit.newId('pay_'), one, AMOUNT)).outcome !== 'succeeded')
      kit.fail('a card cannot be charged after its expiry date was changed');
  },

  'charges-once': async (kit) => {
    const { calls, newId, fail } = kit;
    const token = await card(kit);
    const id = newId('pay_');
    const together = await Promise.allSettled(
      Array.from({ length: CONCURRENCY }, () => calls.charge(id, token, AMOUNT)),
    );
    // A rejection is allowed, because the service then looks it up.
    const answers = fulfilled(together);
    const repeated = await calls.charge(id, token, AMOUNT);
    if (repeated.outcome !== 'succeeded') fail(`charging a card that pays returns ${repeated.outcome}`);
    if (!agree([...answers, repeated])) fail('charges with one attemptId have different results');
    await expectCharged(kit, id, [AMOUNT]);

    const another = await calls.charge(newId('pay_'), token, AMOUNT);
    if (repeated.reference !== undefined && another.reference === repeated.reference)
      fail('charges with different attemptIds are one charge');
  },

  amounts: async (kit) => {
    if (kit.options.books === undefined) return;
    const token = await card(kit);
    for (const amount of AMOUNTS) {
      const id = kit.newId('pay_');
      await kit.calls.charge(id, token, amount);
      await expectCharged(kit, id, [amount]);
    }
  },

  declines: async (kit) => {
    const { calls, options, newId, fail } = kit;
    if (options.declinedCard === null) return;
    const token = await calls.tokenize(options.declinedCard ?? DECLINED_CARD);
    const id = newId('pay_');
    const answers = [await calls.charge(id, token, AMOUNT), await calls.charge(id, token, AMOUNT)];
    const found = await calls.lookup(id, token, answers[0]?.reference);
    for (const { outcome } of [...answers, found])
      if (outcome !== 'declined') fail(`charging a declined card returns ${outcome}`);
    await expectCharged(kit, id, []);
  },

  'bank-payments': async (kit) => {
    const { calls, options, newId, fail } = kit;
    if (options.bank === null) return;
    const token = await calls.tokenize(options.bank ?? BANK);
    const id = newId('pay_');
    if (token.last4 !== (options.bank ?? BANK).accountNumber.slice(-4))
      fail('last4 is not the end of the account number');
    const charged = await calls.charge(id, token, AMOUNT);
    const repeated = await calls.charge(id, token, AMOUNT);
    if (charged.outcome === 'declined') fail('charging a bank account that pays returns declined');
    if (charged.reference !== repeated.reference)
      fail('bank charges with one attemptId have different results');
    const { outcome } = await calls.lookup(id, token, charged.reference);
    if (outcome === 'never_seen' || outcome === 'declined')
      fail(`the lookup of an accepted bank payment returns ${outcome}`);
    await expectCharged(kit, id, [AMOUNT]);
  },

  lookups: async (kit) => {
    const { calls, newId, fail } = kit;
    const token = await card(kit);
    const unknown = await calls.lookup(newId('pay_'), token).catch((cause: Error) => {
      throw new Error(`the lookup of an unknown id must return never_seen: ${cause.message}`, { cause });
    });
    if (unknown.outcome !== 'never_seen') fail(`the lookup of an unknown id returns ${unknown.outcome}`);

    const id = newId('pay_');
    const charged = await calls.charge(id, token, AMOUNT);
    // No reference, like a process that died before it recorded the response.
    for (const reference of [undefined, charged.reference]) {
      const found = await untilKnown(kit, () => calls.lookup(id, token, reference));
      expectSame(kit, charged, found);
    }
    await chargeWhileLookedUp(kit, token);
  },

  'lost-answers': async (kit) => {
    const { calls, options, newId, fail } = kit;
    const { loseAnswers } = options;
    if (loseAnswers === undefined) return;
    const token = await card(kit);
    const id = newId('pay_');
    const lost = await loseAnswers(() => Promise.allSettled([calls.charge(id, token, AMOUNT)]));
    if (lost[0].status === 'fulfilled' && lost[0].value.outcome !== 'succeeded')
      fail(`a charge whose response was lost returns ${lost[0].value.outcome} instead of rejecting`);
    const found = await untilKnown(kit, () => calls.lookup(id, token));
    if (found.outcome !== 'succeeded')
      fail(`the lookup after a lost response returns ${found.outcome} for a charge that arrived`);
    const repeated = await calls.charge(id, token, AMOUNT);
    if (repeated.outcome !== 'succeeded')
      fail(`a charge that is repeated after a lost response returns ${repeated.outcome}`);
    await expectCharged(kit, id, [AMOUNT]);
    if (kit.processor.refund) await loseRefund(kit, { id, reference: found.reference }, loseAnswers);
  },

  'refunds-once': async (kit) => {
    const { calls, newId, fail } = kit;
    if (!kit.processor.refund) return;
    const token = await card(kit);
    const id = newId('pay_');
    const { reference } = await calls.charge(id, token, AMOUNT);
    const refundIds = [newId('re_'), newId('re_')] as const;
    const references: (string | undefined)[] = [];
    for (const refundId of refundIds) {
      const together = await Promise.allSettled(
        Array.from({ length: CONCURRENCY }, () => calls.refund(refundId, id, PART, reference)),
      );
      const answers = fulfilled(together);
      const repeated = await calls.refund(refundId, id, PART, reference);
      if (repeated.outcome === 'failed') fail('a partial refund of a card payment fails');
      // A pending refund may have succeeded by now.
      const same = [...answers, repeated].map((answer) => ({ ...answer, outcome: '' }));
      if (!agree(same)) fail('refunds with one refundId have different results');
      await expectRefunded(kit, refundId, [PART]);
      references.push(repeated.reference);
    }
    if (references[0] !== undefined && references[0] === references[1])
      fail('refunds with different refundIds are one refund');
  },

  events: async (kit) => {
    const { calls, options, fail } = kit;
    if (!kit.processor.receive) return;
    const forged = new TextEncoder().encode('{"forged":true}');
    if (await resolves(calls.receive(new Headers(), forged)))
      fail('receive accepts an event without a signature');

    for (const { headers, body } of (await options.deliveries?.()) ?? []) {
      const events = readEvents(await calls.receive(headers, body));
      const replayed = readEvents(await calls.receive(headers, body));
      if (events === null) fail('receive does not return a list of events');
      for (const event of events ?? []) expectEvent(kit, event);
      if (!isDeepStrictEqual(events, replayed)) fail('receive returns different events for a replay');
      if (await resolves(calls.receive(headers, new Uint8Array([...body, 0x20]))))
        fail('receive accepts a body that does not match its signature');
    }
  },

  challenges: async (kit) => {
    const { calls, options, newId, fail } = kit;
    const { cancel, frameOrigins = [] } = kit.processor;
    if (cancel) {
      const token = await card(kit);
      const id = newId('pay_');
      const { reference } = await calls.charge(id, token, AMOUNT);
      const { outcome } = await calls.cancel(id, token, reference);
      if (outcome !== 'succeeded') fail(`cancel returns ${outcome} for a payment that has succeeded`);
      await expectCharged(kit, id, [AMOUNT]);
    }
    if (options.challengedCard === undefined) return;

    const token = await calls.tokenize(options.challengedCard);
    const id = newId('pay_');
    for (const name of ['charge', 'lookup'] as const) {
      const required = await calls.challenge(name, id, token, AMOUNT);
      if (required === null) fail(`${name} does not require the payer`);
      else if (![new URL(RETURN_URL).origin, ...frameOrigins].includes(new URL(required.action.url).origin))
        fail(`${name} returns a challenge on none of the frameOrigins`);
    }
    if (!cancel) return;
    const ended = [await calls.cancel(id, token), await calls.lookup(id, token)];
    for (const { outcome } of ended)
      if (outcome !== 'declined') fail(`a canceled challenge returns ${outcome}`);
    await expectCharged(kit, id, []);
  },

  forgets: async (kit) => {
    const { calls, newId, fail } = kit;
    if (!kit.processor.forget) return;
    const [one, other] = [await card(kit), await card(kit)];
    if (one.token === other.token)
      fail('the same card gets the same token, so forgetting one forgets the other');
    const id = newId('pay_');
    const { reference } = await calls.charge(id, one, AMOUNT);
    for (const token of [one, one, UNKNOWN]) await calls.forget(token);

    const { outcome } = await calls.lookup(id, one, reference);
    if (outcome !== 'succeeded') fail(`the lookup of a payment whose token is forgotten returns ${outcome}`);
    if (kit.processor.refund && (await calls.refund(newId('re_'), id, PART, reference)).outcome === 'failed')
      fail('a payment whose token is forgotten cannot be refunded');
    if ((await calls.charge(newId('pay_'), other, AMOUNT)).outcome !== 'succeeded')
      fail('forgetting one token of a card affects another');
  },

  secrets: async (kit) => {
    const { calls, options, newId, fail } = kit;
    const attempts: (() => Promise<unknown>)[] = [
      async () => calls.charge(newId('pay_'), await calls.tokenize(UNUSUAL_CARD), AMOUNT),
      () => calls.charge(newId('pay_'), UNKNOWN, AMOUNT),
      () => calls.lookup(newId('pay_'), UNKNOWN, 'unknown'),
      () => calls.refund(newId('re_'), newId('pay_'), PART),
      // Provokes a refusal that names another field of the card.
      () => calls.tokenize({ ...(options.card ?? CARD), expiry: '01/20' }),
      () => calls.tokenize({ ...BANK, accountNumber: '000999999991' }),
    ];
    for (const attempt of attempts) await Promise.allSettled([attempt()]);
    for (const where of calls.leaks) fail(`${where} contains a secret`);
  },
};

/** Reports an event whose outcome is impossible for its charge or refund. */
function expectEvent({ calls, fail }: Kit, event: ProcessorEvent): void {
  const { attemptId, refundId, reference = '', outcome } = event;
  if (refundId !== undefined) {
    if (readRefund(event) === null) fail(`receive returns ${outcome} for a refund`);
    return;
  }
  const known = calls.charged.get(attemptId ?? reference);
  const read = readLookup(event);
  if (attemptId !== undefined && read === null) fail(`receive returns ${outcome} for a charge`);
  else if (known && read && read.outcome !== 'never_seen' && contradicts(known.outcome, read.outcome))
    fail(`receive returns ${outcome} for a charge that returned ${known.outcome}`);
}

/** The service may look up a charge in transit, and charges again after `never_seen`. */
async function chargeWhileLookedUp(kit: Kit, token: Token): Promise<void> {
  const { calls, newId } = kit;
  const id = newId('pay_');
  const charging = Promise.allSettled([calls.charge(id, token, AMOUNT)]);
  const [found] = await Promise.allSettled([calls.lookup(id, token)]);
  if (found.status === 'fulfilled' && found.value.outcome === 'never_seen')
    await Promise.allSettled([calls.charge(id, token, AMOUNT)]);
  await charging;
  await expectCharged(kit, id, [AMOUNT]);
}

async function loseRefund(
  kit: Kit,
  charge: { readonly id: string; readonly reference: string | undefined },
  loseAnswers: NonNullable<ProcessorCheckOptions['loseAnswers']>,
): Promise<void> {
  const refundId = kit.newId('re_');
  const ask = () => kit.calls.refund(refundId, charge.id, PART, charge.reference);
  await loseAnswers(() => Promise.allSettled([ask()]));
  const { outcome } = await ask();
  if (outcome === 'failed') kit.fail('a refund whose response was lost fails when it is repeated');
  await expectRefunded(kit, refundId, [PART]);
}

function expectSame(kit: Kit, charged: Charged, found: LookedUp): void {
  if (found.outcome === charged.outcome && found.reference === charged.reference) return;
  kit.fail(`charge returns ${charged.outcome}, but its lookup ${found.outcome} or another reference`);
}

/** Retries a lookup that rejects, like the service does. */
async function untilKnown(kit: Kit, lookup: () => Promise<LookedUp>): Promise<LookedUp> {
  const { lookupWithinMs = 60_000 } = kit.options;
  const until = performance.now() + lookupWithinMs;
  for (let pause = 20; ; pause *= 2) {
    try {
      return await lookup();
    } catch (error) {
      if (performance.now() + pause > until) throw error;
      await delay(pause);
    }
  }
}

async function expectCharged({ options, fail }: Kit, id: string, amounts: readonly number[]): Promise<void> {
  const charged = await options.books?.charged(id);
  if (charged !== undefined && !isDeepStrictEqual([...charged], [...amounts]))
    fail(`the books say [${charged.join(', ')}] cents instead of [${amounts.join(', ')}]`);
}

async function expectRefunded({ options, fail }: Kit, id: string, amounts: readonly number[]): Promise<void> {
  const refunded = await options.books?.refunded?.(id);
  if (refunded !== undefined && !isDeepStrictEqual([...refunded], [...amounts]))
    fail(
      `the books say that [${refunded.join(', ')}] cents were refunded instead of [${amounts.join(', ')}]`,
    );
}

const fulfilled = <T>(settled: readonly PromiseSettledResult<T>[]): T[] =>
  settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));

const resolves = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
