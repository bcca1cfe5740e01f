import { afterEach, describe, expect, it } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open, query, type Payer } from '../../test/payer.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { NOT_SENT, UNENROLLED, wasNeverSent } from '../payments/rules/attempt.js';
import { readCharge, readEvents, readLookup, readRefund } from './rules/response.js';
import type { PaymentProcessor } from './rules/port.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import type { SchedulePageSession } from '../shared/page.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NO_OUTCOMES = [
  undefined,
  null,
  '',
  'settled',
  'Succeeded',
  42,
  true,
  [],
  ['succeeded'],
  {},
  { outcome: 'settled' },
  { outcome: ['succeeded'] },
  { status: 'succeeded' },
];

describe('R-62 a processor response', () => {
  it.each(NO_OUTCOMES)('%j is not an outcome', (response) => {
    expect(readCharge(response)).toBeNull();
    expect(readLookup(response)).toBeNull();
    expect(readRefund(response)).toBeNull();
  });

  it('must have the amount and currency of its call, if any', () => {
    for (const read of [readCharge, readLookup, readRefund]) {
      for (const other of [{ amount: 99 }, { amount: 1 }, { amount: '100' }, { currency: 'EUR' }])
        expect(read({ outcome: 'succeeded', ...other }, 100)).toBeNull();
      const same = { outcome: 'succeeded', amount: 100, currency: 'usd' };
      expect(read(same, 100)).toEqual({ outcome: 'succeeded' });
    }
  });

  it('can be synchronous', async () => {
    let lookups = 0;
    const processor = {
      tokenize: () => ({ token: 'tok', last4: '4242' }),
      charge: () => (lookups === 0 ? 'unheard of' : 'succeeded'),
      lookup: () => (lookups++ === 0 ? 'never_seen' : 'declined'),
      refund: () => 'succeeded',
    } as unknown as PaymentProcessor;
    const service = await startTestService({ config: config(), processor });
    const page = await open(service.fetch, 'payment');
    expect(await page.pay()).toMatchObject({ status: 'processing' });
    await service.control.advance(180_000);
    const [payment] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    expect(payment).toMatchObject({ status: 'succeeded' });
    const refund = { PaymentIdentifier: payment?.id };
    const given = await asMerchant(service.fetch, '/integrations/payments/refund', refund);
    expect(await given.json()).toMatchObject({ data: { Status: 'succeeded' } });
    await service.close();
  });

  it('must fit the call', () => {
    expect(readCharge('never_seen')).toBeNull();
    expect(readCharge('returned')).toBeNull();
    expect(readLookup('never_seen')).toEqual({ outcome: 'never_seen' });
    expect(readLookup('failed')).toBeNull();
    expect(readRefund('failed')).toEqual({ outcome: 'failed' });
  });

  it('accepts text of up to 200 storable characters', () => {
    const outcomeOf = (reason: unknown, reference: unknown) =>
      readCharge({ outcome: 'declined', reason, reference });
    expect(outcomeOf('R01', 'ch_1')).toEqual({ outcome: 'declined', reason: 'R01', reference: 'ch_1' });
    const words = 'x'.repeat(200);
    expect(outcomeOf(words, words)).toEqual({ outcome: 'declined', reason: words, reference: words });
    expect(outcomeOf('4242424242424243', '60111111111111174')).toHaveProperty('reference');
    // Card-like digits: another card's number, and a number that fails Luhn.
    for (const kept of ['5555555555554444', '4242424242424444', '1234567890124242'])
      expect(outcomeOf('R01', kept)).toEqual({ outcome: 'declined', reason: 'R01', reference: kept });
    const other = { outcome: 'declined', reference: '5555555555554444' };
    expect(readCharge(other)).toEqual(other);
    for (const not of ['', 'a\u0000', '\ud800', 'x'.repeat(201), 7, null, {}])
      expect(outcomeOf(not, not)).toEqual({ outcome: 'declined' });
  });

  it.each([...Object.values(NOT_SENT), UNENROLLED])(
    'is not confused with a decline by the service: %s',
    (own) => {
      const declined = { outcome: 'declined', reason: own };
      const reason = `processor: ${own}`;
      expect(readCharge(declined)).toEqual({ ...declined, reason });
      expect(readLookup(declined)).toEqual({ ...declined, reason });
      expect(readEvents([{ ...declined, reference: 'ch_1' }])).toMatchObject([{ reason }]);
      expect(wasNeverSent(reason)).toBe(false);
    },
  );

  it('that declines for a reason of the service is shown as declined', async () => {
    const { processor } = scripted([{ outcome: 'declined', reason: 'method_not_accepted' }]);
    await start(processor);
    const page = await open(service.fetch, 'payment');
    expect(await page.pay()).toMatchObject({ status: 'declined', attemptsLeft: 9 });
    expect(await query(service.fetch, page.id)).toMatchObject({
      Payments: [{ Reason: 'processor: method_not_accepted' }],
    });
  });

  it.each([
    'card 4242-4242 4242 4242!',
    '05 4242424242424242',
    '4242424242424242 05',
    '20261123 4242424242424242 0001',
    '12344242424242424242',
    '4242.4242.4242.4242',
    '4.2_4/2 – 4,2:4 2 4242 ٤٢٤٢',
  ])('drops a card number, even among other digits: %s', (words) => {
    const response = { outcome: 'declined', reason: words };
    expect(readCharge(response)).toEqual({ outcome: 'declined' });
  });

  it('drops a reason with the number of another card', () => {
    for (const number of [
      '5555 5555 5555 4444',
      '51 5555555555554444',
      '5555.5555.5555.4444 12/27',
      '6759649826438453',
    ])
      expect(readCharge({ outcome: 'declined', reason: `Reissued as ${number}` })).toEqual({
        outcome: 'declined',
      });
  });

  it('drops a reason with a bank account number', () => {
    const declined = { outcome: 'declined', reason: 'No account 98765-432-101.234567' };
    expect(readCharge(declined)).toEqual({ outcome: 'declined' });
    expect(readEvents([{ ...declined, reference: 'ch_1' }])).toEqual([
      { outcome: 'declined', reference: 'ch_1' },
    ]);
    const traced = { outcome: 'declined', reason: 'R01 trace 061000010000456' };
    expect(readCharge(traced)).toEqual({ outcome: 'declined', reason: 'R01' });
  });

  it.each([
    ['R02 - Account Closed, 2026-11-29', 'R02'],
    ['ach_r-10 trace 061000010000456', 'R10'],
    ['R01 of account 000123456789', 'R01'],
    ['R03 4242 4242 4242 4242', 'R03'],
    ['returned on 2026-11-29', undefined],
  ])('R-93 keeps the return code of an event whose reason may have an account number: %s', (reason, kept) => {
    expect(readEvents([{ outcome: 'returned', reference: 'ch_1', reason }])).toEqual([
      { outcome: 'returned', reference: 'ch_1', ...(kept && { reason: kept }) },
    ]);
  });
});

/** Returns the scripted responses in order, then repeats the last. */
function scripted(charge: unknown[], lookup: unknown[] = ['succeeded']) {
  const calls: { method: string; what: unknown; context: unknown }[] = [];
  const next = (script: unknown[]): never => {
    const response = script.length > 1 ? script.shift() : script[0];
    if (response instanceof Error) throw response;
    return response as never;
  };
  const processor: PaymentProcessor = {
    tokenize: async (source, context) => {
      calls.push({ method: 'tokenize', what: source.method, context });
      return { token: 'tok', last4: '4242' };
    },
    charge: async ({ context, ...what }) => {
      calls.push({ method: 'charge', what, context });
      return next(charge);
    },
    lookup: async (attemptId, context) => {
      calls.push({ method: 'lookup', what: attemptId, context });
      return next(lookup);
    },
  };
  return { calls, processor, times: (name: string) => calls.filter(({ method }) => method === name).length };
}

let receiver: Receiver;
let service: OpenTestService;
let started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of started) await one.close();
  started = [];
});

async function start(processor: PaymentProcessor): Promise<void> {
  receiver = await startReceiver();
  const webhook = { url: receiver.url, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] };
  service = await startTestService({ config: config({ webhook }), processor });
  started = [service, receiver];
}

interface ProcessorResult {
  Status: string;
  Payments: Record<string, unknown>[];
}

const scheduled = async (): Promise<Payer> => {
  const page = await open(service.fetch, 'schedule-payment');
  const { earliest: date } = await page.get<SchedulePageSession>();
  const { id: methodId } = await page.addMethod(BANK);
  await page.post('schedule', { requestId: 'request-1', amount: 100, date, methodId });
  return page;
};

/** The other methods share the same parser. */
const SOME = [undefined, 'settled', { outcome: 'settled' }];

describe('R-62 an invalid response only schedules the next lookup', () => {
  it.each(SOME)('%j for a scheduled bank payment that is settling', async (odd) => {
    const { processor } = scripted(['pending'], [odd, odd, 'pending', odd, 'succeeded']);
    await start(processor);
    await scheduled();
    await service.control.advance(DAY_MS);
    const announced = () => receiver.types().filter((type) => type.startsWith('scheduled_payment.'));
    for (let hours = 0; hours < 48 + 4; hours++) {
      await service.control.advance(HOUR_MS);
      const { scheduledPayments, payments } = await service.control.state(SLUG);
      expect([scheduledPayments[0]?.status, payments[0]?.status]).toEqual(['executing', 'pending']);
      expect(announced()).toEqual(['scheduled_payment.created']);
    }
    for (let lookup = 0; lookup < 2; lookup++) await service.control.advance(2 * DAY_MS);
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'executed' }]);
    expect(announced()).toEqual(['scheduled_payment.created', 'scheduled_payment.executed']);
  });

  it.each(SOME)('%j for a payment, retried with backoff', async (odd) => {
    const { processor, times } = scripted([odd], [odd]);
    await start(processor);
    const page = await open(service.fetch, 'payment');
    expect(await page.pay()).toMatchObject({ status: 'processing' });
    for (let minutes = 0; minutes < 60; minutes += 3) await service.control.advance(180_000);
    expect(times('lookup')).toBeGreaterThan(4);
    expect(times('lookup')).toBeLessThan(10);
    expect(times('charge')).toBe(1);
    expect(await query<ProcessorResult>(service.fetch, page.id)).toMatchObject({
      Status: 'Processing',
      Payments: [{ Status: 'pending' }],
    });
    expect(receiver.types()).toEqual([]);
  });

  it('a failed lookup of a bank payment, with increasing backoff', async () => {
    const { processor, times } = scripted(['pending'], [new Error('down')]);
    await start(processor);
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    for (let hours = 0; hours < 72; hours++) await service.control.advance(HOUR_MS);
    expect(times('lookup')).toBe(6);
    expect(await query<ProcessorResult>(service.fetch, page.id)).toMatchObject({ Status: 'Processing' });
  });
});

describe('R-44 a bank payment that the processor no longer knows', () => {
  it('is not charged again, before or after it settles', async () => {
    const { processor, times } = scripted(['pending'], ['never_seen', 'succeeded', 'never_seen']);
    await start(processor);
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    for (let days = 0; days < 12; days++) await service.control.advance(DAY_MS);
    expect(times('lookup')).toBeGreaterThan(3);
    expect(times('charge')).toBe(1);
    expect(await query<ProcessorResult>(service.fetch, page.id)).toMatchObject({ Status: 'Succeeded' });
  });
});

describe('R-68 a processor', () => {
  it('gets the business unit, the currency and the descriptor', async () => {
    const { calls, processor } = scripted([new Error('lost')]);
    await start(processor);
    const page = await open(service.fetch, 'payment', { PaymentDescriptor: 'HARBORLIGHT 42' });
    await page.pay();
    await service.control.advance(HOUR_MS);
    const context = {
      businessUnit: SLUG,
      currency: 'USD',
      descriptor: 'HARBORLIGHT 42',
      method: 'Credit Card',
      sessionId: page.id,
      environment: 'staging',
      channel: 'QuickPay',
      initiator: 'payer',
    };
    const present = { ...context, returnUrl: `${service.deps.publicUrl}/s/${page.id}/returned` };
    expect(calls.map(({ method, context: passed }) => [method, passed])).toEqual([
      ['tokenize', { ...context, purpose: 'charge' }],
      ['charge', present],
      ['lookup', present],
    ]);
  });

  it('gets the session that scheduled a payment, and no empty descriptor', async () => {
    const { calls, processor } = scripted(['succeeded']);
    await start(processor);
    const page = await scheduled();
    await service.control.advance(DAY_MS);
    const context = {
      businessUnit: SLUG,
      currency: 'USD',
      method: 'ACH',
      sessionId: page.id,
      environment: 'staging',
      channel: 'Scheduled',
      payer: { email: 'ada@example.com' },
    };
    expect(calls.map(({ context: passed }) => passed)).toEqual([
      { ...context, initiator: 'payer', purpose: 'save' },
      {
        ...context,
        initiator: 'merchant',
        authorization: { text: expect.stringContaining('I authorize'), at: expect.any(String) },
      },
    ]);
  });

  it('can return a reason and a reference, shown in query, webhooks and state', async () => {
    const { processor } = scripted([
      { outcome: 'declined', reason: 'insufficient_funds', reference: 'ch_1' },
      { outcome: 'pending', reference: 'ch_2' },
    ]);
    processor.lookup = async () => ({ outcome: 'returned', reason: 'R01' });
    await start(processor);
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: CARD });
    await page.pay({ source: BANK });
    await service.control.advance(2 * DAY_MS);
    const expected = [
      { Status: 'declined', Reason: 'insufficient_funds', Reference: 'ch_1', Refunded: 0 },
      { Status: 'returned', Reason: 'R01', Reference: 'ch_2', Refunded: 0 },
    ];
    const { Payments } = await query<ProcessorResult>(service.fetch, page.id);
    expect(Payments).toMatchObject(expected);
    const iso = /^\d{4}-\d\d-\d\dT/;
    for (const payment of Payments)
      expect(payment).toMatchObject({
        Id: expect.stringMatching(/^pay_/),
        CreatedAt: expect.stringMatching(iso),
      });
    expect(receiver.received.at(-1)?.event.data.Payments).toEqual(Payments);
    expect((await service.control.state(SLUG)).payments).toMatchObject([
      { reason: 'insufficient_funds', reference: 'ch_1' },
      { reason: 'R01', reference: 'ch_2' },
    ]);
  });

  it('keeps a charge’s reference when it settles, and drops an older reason', async () => {
    const { processor } = scripted([{ outcome: 'pending', reason: 'submitted', reference: 'ch_1' }]);
    await start(processor);
    const page = await open(service.fetch, 'payment');
    await page.pay({ source: BANK });
    await service.control.advance(2 * DAY_MS);
    const { Payments } = await query<ProcessorResult>(service.fetch, page.id);
    expect(Payments).toMatchObject([{ Status: 'succeeded', Reference: 'ch_1' }]);
    expect(Payments[0]).not.toHaveProperty('Reason');
  });
});
