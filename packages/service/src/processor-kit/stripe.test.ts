/** The example adapter for Stripe, against a stand-in that follows Stripe's documentation. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { BANK as TYPED_BANK, CARD as TYPED_CARD, open, query } from '../../test/payer.js';
import { STRIPE_KEY, StripeStandIn, WEBHOOK_SECRET } from '../../test/stripe-stand-in.js';
import type { PaymentProcessor, PaymentSource, ProcessorContext } from '../processor/rules/port.js';
import { startTestService } from '../start/test-service.js';
import { checkProcessor } from './index.js';
import { BANK, CARD } from './options.js';

vi.stubEnv('STRIPE_SECRET_KEY', STRIPE_KEY);
vi.stubEnv('STRIPE_WEBHOOK_SECRETS', WEBHOOK_SECRET);
const { boundedStripe, StripeProcessor } = await import('../../examples/stripe.js');

let standIn: StripeStandIn;
let processor: Required<Pick<PaymentProcessor, 'refund' | 'receive'>> & PaymentProcessor;
beforeEach(async () => {
  standIn = new StripeStandIn();
  const stripe = boundedStripe(STRIPE_KEY, { ...(await standIn.start()), telemetry: false });
  processor = new StripeProcessor({
    stripe,
    webhookSecrets: ['whsec_of_connect', WEBHOOK_SECRET],
    accounts: { connected: 'acct_1' },
  });
});
afterEach(() => standIn.close());

const context = (change: Partial<ProcessorContext> = {}): ProcessorContext => ({
  businessUnit: SLUG,
  currency: 'USD',
  method: 'Credit Card',
  environment: 'staging',
  channel: 'QuickPay',
  initiator: 'payer',
  ...change,
});
const bankContext = (change: Partial<ProcessorContext> = {}): ProcessorContext =>
  context({
    method: 'ACH',
    payer: { ip: '203.0.113.7', userAgent: 'browser' },
    authorization: { text: 'I authorize this debit.', at: '2026-11-24T10:00:00.000Z' },
    ...change,
  });

let attempts = 0;
async function charge(source: PaymentSource, given: ProcessorContext = context()) {
  const attemptId = `pay_${++attempts}`;
  const { token } = await processor.tokenize(source, given);
  return {
    attemptId,
    token,
    result: await processor.charge({ attemptId, token, amount: 1_999, context: given }),
  };
}

const newest = () => {
  const intent = standIn.intents.at(-1);
  if (!intent) throw new Error('no payment');
  return intent;
};
const receiveAll = async () =>
  (await Promise.all(standIn.events.map((body) => processor.receive(standIn.signed(body))))).flat();

it('passes checkProcessor', { timeout: 30_000 }, async () => {
  const failures = await checkProcessor(processor, {
    challengedCard: { ...CARD, cardNumber: '4000002760003184' },
    secrets: [STRIPE_KEY, WEBHOOK_SECRET],
    books: {
      charged: async (id) =>
        standIn.intents
          .filter(
            ({ metadata, status }) => metadata['attemptId'] === id && /succeeded|processing/.test(status),
          )
          .map(({ amount }) => amount),
      refunded: async (id) =>
        standIn.refunds.filter(({ metadata }) => metadata['refundId'] === id).map(({ amount }) => amount),
    },
    loseAnswers: async (work) => {
      standIn.losesAnswers = true;
      return work().finally(() => (standIn.losesAnswers = false));
    },
    deliveries: async () => standIn.events.map((body) => standIn.signed(body)),
  });
  expect(failures).toEqual([]);
});

describe('a charge', () => {
  const challenged = { ...CARD, cardNumber: '4000002760003184' };
  const present = context({ returnUrl: 'https://pay.example/s/stg_1/returned' });

  it('R-101 of a card that needs authentication shows its challenge', async () => {
    const { attemptId, result } = await charge(challenged, present);
    const [origin] = processor.frameOrigins ?? [];
    expect(result).toMatchObject({
      outcome: 'requires_action',
      action: { url: expect.stringContaining(`${origin}/`) },
    });
    expect(newest().params).toMatchObject({ return_url: present.returnUrl });
    expect(await processor.lookup(attemptId, present)).toEqual(result);
    newest().status = 'succeeded';
    expect(await processor.cancel?.(attemptId, present)).toMatchObject({ outcome: 'succeeded' });
  });

  it('R-101 of an abandoned challenge is canceled and declined', async () => {
    const { attemptId } = await charge(challenged, present);
    expect(await processor.cancel?.(attemptId, present)).toMatchObject({
      outcome: 'declined',
      reason: 'abandoned',
    });
    expect(newest().status).toBe('canceled');
  });

  it('R-101 that needs an absent payer is declined', async () => {
    const saved = await processor.tokenize(challenged, present);
    const away = context({ initiator: 'merchant', channel: 'AutoPay' });
    expect(
      await processor.charge({ attemptId: 'pay_away', token: saved.token, amount: 1_999, context: away }),
    ).toMatchObject({ outcome: 'declined', reason: 'authentication_required' });
  });

  it('R-101 of an AutoPay card that needs authentication is rejected', async () => {
    await expect(charge(challenged, context({ channel: 'AutoPay' }))).rejects.toMatchObject({
      code: 'source_refused',
    });
  });

  it('without the payer is off session', async () => {
    await charge(CARD, context({ initiator: 'merchant', channel: 'AutoPay' }));
    expect(newest().params).toMatchObject({ off_session: 'true' });
  });

  it('of a bank account has the mandate that the payer accepted', async () => {
    const { result } = await charge(BANK, bankContext());
    expect(result).toMatchObject({ outcome: 'pending' });
    expect(newest().params).toMatchObject({
      'mandate_data[customer_acceptance][type]': 'online',
      'mandate_data[customer_acceptance][online][ip_address]': '203.0.113.7',
      'mandate_data[customer_acceptance][online][user_agent]': 'browser',
      'mandate_data[customer_acceptance][accepted_at]': '1795514400',
    });
  });

  it('of a bank account that Stripe wants to verify is canceled and declined', async () => {
    standIn.verifiesBanks = true;
    expect((await charge(BANK, bankContext())).result).toMatchObject({ outcome: 'declined' });
    expect(newest().status).toBe('canceled');
  });

  it('of a connected business unit is made by its account', async () => {
    const { attemptId } = await charge(CARD, context({ businessUnit: 'connected' }));
    expect(newest().account).toBe('acct_1');
    expect(await processor.lookup(attemptId, context({ businessUnit: 'connected' }))).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await processor.lookup(attemptId, context())).toEqual({ outcome: 'never_seen' });
  });

  it('over the rate limit rejects, and succeeds on the next call', async () => {
    const { token } = await processor.tokenize(CARD, context());
    const input = { attemptId: 'pay_limited', token, amount: 1_999, context: context() };
    standIn.limited = 2;
    await expect(processor.charge(input)).rejects.toThrow(/Stripe refused/);
    standIn.limited = 0;
    expect(await processor.charge(input)).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('R-57 a new expiry date', () => {
  it('is set on the token’s payment method, which still pays', async () => {
    const { token } = await charge(CARD);
    await processor.updateExpiry?.(token, '01/36', context());
    expect([...standIn.expiries]).toEqual([[token.split('/')[1], '1/2036']]);
    const paid = await processor.charge({ attemptId: 'pay_later', token, amount: 5, context: context() });
    expect(paid).toMatchObject({ outcome: 'succeeded' });
  });

  it('that Stripe refuses is refused with its message', async () => {
    const { token } = await charge(CARD);
    await expect(processor.updateExpiry?.(token, '01/99', context())).rejects.toMatchObject({
      code: 'source_refused',
      message: 'No.',
    });
    await expect(processor.updateExpiry?.('cus_1/pm_none', '01/36', context())).rejects.toThrow(
      'Stripe refused or did not respond',
    );
  });
});

describe('a lookup', () => {
  it('finds a charge missing from the search index and one older than the list', async () => {
    const { attemptId } = await charge(CARD);
    expect(await processor.lookup(attemptId, context())).toMatchObject({ outcome: 'succeeded' });
    newest().created -= 7_200;
    expect(await processor.lookup(attemptId, context())).toMatchObject({ outcome: 'succeeded' });
  });

  it('reports a lost dispute as returned', async () => {
    const { attemptId } = await charge(CARD);
    standIn.dispute(newest());
    expect(await processor.lookup(attemptId, context())).toMatchObject({
      outcome: 'returned',
      reason: 'fraudulent',
    });
  });

  it.each([
    ['debit_not_authorized', 'R10'],
    ['incorrect_account_details', 'R04'],
  ])(
    'R-93 translates the dispute %s of a settled bank payment to %s, which blocks the account',
    async (dispute, code) => {
      const { attemptId } = await charge(BANK, bankContext());
      standIn.dispute(newest(), dispute);
      expect(await processor.lookup(attemptId, context())).toMatchObject({
        outcome: 'returned',
        reason: code,
      });
      expect((await receiveAll()).at(-1)).toMatchObject({ outcome: 'returned', reason: code });
    },
  );
});

it('refunds once even if Stripe has forgotten the idempotency key', async () => {
  const { attemptId } = await charge(CARD);
  const refund = { refundId: 're_old', attemptId, amount: 500, context: context() };
  await processor.refund(refund);
  standIn.forgetKeys();
  expect(await processor.refund(refund)).toMatchObject({ outcome: 'succeeded' });
  expect(standIn.refunds).toHaveLength(1);
});

describe('receive', () => {
  it('reads payments, refunds and lost disputes, and ignores other payments of the account', async () => {
    const { attemptId } = await charge(CARD);
    await processor.refund({ refundId: 're_1', attemptId, amount: 500, context: context() });
    standIn.dispute(newest());
    standIn.events.push(
      JSON.stringify({
        object: 'event',
        type: 'payment_intent.succeeded',
        data: { object: { id: 'pi_else', status: 'succeeded', metadata: {} } },
      }),
    );
    const reference = newest().id;
    const paid = { reference, amount: 1_999, currency: 'usd' };
    const refunded = { reference: expect.stringMatching(/^re_/), amount: 500, currency: 'usd' };
    expect(await receiveAll()).toEqual([
      { attemptId, outcome: 'succeeded', ...paid },
      { refundId: 're_1', outcome: 'succeeded', ...refunded },
      { outcome: 'returned', reason: 'fraudulent', ...paid },
    ]);
  });

  it('trusts no metadata of a connected account, because its owner writes it', async () => {
    const { attemptId } = await charge(CARD, context({ businessUnit: 'connected' }));
    await processor.refund({
      refundId: 're_1',
      attemptId,
      amount: 500,
      context: context({ businessUnit: 'connected' }),
    });
    const reference = newest().id;
    expect(await receiveAll()).toEqual([
      { outcome: 'succeeded', reference, amount: 1_999, currency: 'usd' },
      { outcome: 'succeeded', reference: expect.stringMatching(/^re_/), amount: 500, currency: 'usd' },
    ]);
  });

  it.each([
    ['4242424242424242', 'succeeded', undefined, undefined],
    ['4000000000003055', 'succeeded', undefined, undefined],
    ['4000000000000002', 'declined', 'generic_decline', undefined],
    ['4000000000000341', 'declined', 'generic_decline', undefined],
    ['4000000000000119', 'declined', 'processing_error', undefined],
    ['4000000000009987', 'declined', 'lost_card', undefined],
    ['4000000000009979', 'declined', 'stolen_card', undefined],
    ['4000000000009995', 'declined', 'insufficient_funds', 'insufficient_funds'],
    ['4000000000006975', 'declined', 'card_velocity_exceeded', 'insufficient_funds'],
    ['4000000000000069', 'declined', 'expired_card', 'card_expired'],
    ['4000000000000127', 'declined', 'incorrect_cvc', 'wrong_code'],
  ])(
    'card %s is %s: the merchant gets %s, the payer advice about %s',
    async (cardNumber, status, reason, advice) => {
      const service = await startTestService({ processor, config: config() });
      const page = await open(service.fetch, 'payment');
      const paid = await page.pay({ source: { ...TYPED_CARD, cardNumber } });
      expect([paid.status, 'advice' in paid ? paid.advice : undefined]).toEqual([status, advice]);
      const { Payments } = await query<{ Payments: { Reason?: string }[] }>(service.fetch, page.id);
      expect(Payments.map(({ Reason }) => Reason)).toEqual([reason]);

      await service.control.advance(1_000);
      expect(standIn.customers.size).toBe(0);
      await service.close();
    },
  );

  it.each([
    ['4000000000003220', true, 'succeeded', undefined],
    ['4000000000003220', false, 'declined', 'payment_intent_authentication_failure'],
    ['4000008260003178', true, 'declined', 'insufficient_funds'],
  ])('R-101 card %s, whose challenge is passed: %s, is %s', async (cardNumber, passes, status, reason) => {
    const service = await startTestService({ processor, config: config() });
    const page = await open(service.fetch, 'payment');
    const attemptId = 'attempt-challenged';
    const source = { ...TYPED_CARD, cardNumber };
    expect(await page.pay({ attemptId, source })).toMatchObject({ status: 'requires_action' });
    standIn.answerChallenge(newest(), passes);
    expect(await page.post(`attempts/${attemptId}/returned`)).toMatchObject({ status });
    expect((await service.control.state(SLUG)).payments).toMatchObject([
      { status, ...(reason ? { reason } : {}) },
    ]);
    await service.close();
  });

  it('settles and returns the bank payments of a service', async () => {
    const service = await startTestService({
      processor,
      config: config({ paymentMethods: ['Credit Card', 'ACH'] }),
    });
    const outcomes: string[] = [];
    for (const accountNumber of [
      '000123456789',
      '000111111113',
      '000111111116',
      '000222222227',
      '000333333335',
    ]) {
      const page = await open(service.fetch, 'payment');
      await page.pay({ source: { ...TYPED_BANK, accountNumber } });
      standIn.settle(newest());
      const { headers, body } = standIn.signed(standIn.events.at(-1) ?? '');
      const sent = await service.fetch('/processor/events', {
        method: 'POST',
        headers,
        body: Buffer.from(body),
      });
      expect(sent.status).toBe(200);
      const { Payments } = await query<{ Payments: { Status: string; Reason?: string }[] }>(
        service.fetch,
        page.id,
      );
      outcomes.push(`${Payments[0]?.Status} ${Payments[0]?.Reason ?? ''}`);
    }
    expect(outcomes).toEqual([
      'succeeded ',
      'returned R02',
      'returned R03',
      'returned insufficient_funds',
      'returned R10',
    ]);
    await service.close();
  });
});

it('rejects a card with the message of Stripe and its field', async () => {
  const expired = { ...CARD, cardNumber: '4000000000000069' };
  await expect(processor.tokenize(expired, context())).rejects.toMatchObject({
    code: 'source_refused',
    field: 'expiry',
    message: 'Your card was declined.',
  });
});

describe('R-91 a Stripe that', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const responding = async (listener: RequestListener, timeout: number): Promise<PaymentProcessor> => {
    server = createServer(listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const at = { host: '127.0.0.1', port, protocol: 'http', telemetry: false } as const;
    const stripe = boundedStripe(STRIPE_KEY, { ...at, timeout, maxNetworkRetries: 0 });
    return new StripeProcessor({ stripe, webhookSecrets: [WEBHOOK_SECRET] });
  };
  const flood = (response: ServerResponse): void => {
    const part = Buffer.alloc(65_536, ' ');
    const write = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', write);
    write();
  };
  const trickle = (response: ServerResponse): void => {
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  };

  it.each([
    ['sends a body without an end', flood, 60_000],
    ['never completes a body', trickle, 300],
  ])('%s: the call ends, and its connection', async (_, send, timeout) => {
    let ended = 0;
    const hostile = await responding((__, response) => {
      response.on('close', () => (ended += 1));
      response.writeHead(200, { 'content-type': 'application/json' });
      send(response);
    }, timeout);
    await expect(hostile.tokenize(CARD, context())).rejects.toThrow('Stripe refused or did not respond');
    await expect.poll(() => ended).toBe(1);
  });

  it.each([502, 403])(
    'is hidden by a proxy that responds with %i and JSON: nothing counts as done',
    async (status) => {
      const hostile = await responding((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end('{"message":"Unavailable"}');
      }, 60_000);
      await expect(hostile.tokenize(CARD, context())).rejects.toThrow('Stripe refused or did not respond');
      await expect(hostile.forget?.('cus_1/pm_1', context())).rejects.toThrow();
    },
  );

  it('redirects: the key goes nowhere else', async () => {
    const urls: unknown[] = [];
    const hostile = await responding(({ url }, response) => {
      urls.push(url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    }, 60_000);
    await expect(hostile.tokenize(CARD, context())).rejects.toThrow('Stripe refused or did not respond');
    expect(urls).toEqual(['/v1/payment_methods']);
  });

  it('always has more refunds to list: nothing is refunded', async () => {
    const requests: unknown[] = [];
    const hostile = await responding(({ method, url = '' }, response) => {
      requests.push(method);
      const data = Array.from({ length: 100 }, (__, place) => ({ id: `re_${place}`, metadata: {} }));
      const body = url.startsWith('/v1/refunds')
        ? { object: 'list', url: '/v1/refunds', has_more: requests.length < 20, data }
        : { object: 'payment_intent', id: 'pi_1' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }, 60_000);
    const refund = {
      refundId: 'ref_1',
      attemptId: 'pay_1',
      amount: 1,
      context: context({ reference: 'pi_1' }),
    };
    await expect(hostile.refund?.(refund)).rejects.toThrow('Stripe lists too many');
    // The payment, and ten or eleven pages.
    expect(requests.length).toBeLessThanOrEqual(12);
  });
});
