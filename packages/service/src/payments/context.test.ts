/** The context of processor calls. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { config } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open } from '../../test/payer.js';
import { createApp } from '../app.js';
import type { Log } from '../platform/log/log.js';
import type { PaymentProcessor, ProcessorContext } from '../processor/rules/port.js';
import type { SchedulePageSession } from '../shared/page.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';

const DAY_MS = 86_400_000;
const PROXY = '10.0.0.7';
const DEVICE = { ip: '203.0.113.9', userAgent: 'TestBrowser/7.5 (payer)' };
const TEXT = expect.stringMatching(/I authorize Harborlight Water/) as string;
const EMAIL = 'mira.osei@example.com';
const CUSTOMER = { ClientUser: { EmailAddress: EMAIL } };
const AT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;

let service: OpenTestService;
let logged = '';
afterEach(async () => {
  await service.close();
  logged = '';
});

const write = (...parts: unknown[]): void => void (logged += JSON.stringify(parts));
const log: Log = { info: write, warn: write, error: write };

/** A service behind a proxy. If `isLost`, the processor loses its first response. */
async function start({ isLost = false, trustedProxies = ['10.0.0.0/8'] } = {}) {
  const calls: [string, ProcessorContext][] = [];
  let mustFail = isLost;
  const processor: PaymentProcessor = {
    tokenize: async (source, context) => {
      calls.push(['tokenize', context]);
      return { token: 'tok', last4: source.method === 'ACH' ? '6789' : '4242' };
    },
    charge: async ({ context }) => {
      calls.push(['charge', context]);
      if (mustFail) {
        mustFail = false;
        throw new Error('lost');
      }
      return { outcome: context.method === 'ACH' ? 'pending' : 'succeeded', reference: 'ch_77' };
    },
    lookup: async (_, context) => {
      calls.push(['lookup', context]);
      return context.reference === undefined ? 'never_seen' : 'succeeded';
    },
    refund: async ({ context }) => {
      calls.push(['refund', context]);
      return 'succeeded';
    },
  };
  service = await startTestService({
    config: { ...(config() as object), trustedProxies },
    processor,
    log,
  });
  const app = createApp(service.deps);
  const send = (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(new URL(path, service.deps.publicUrl), init);
    request.headers.set('user-agent', DEVICE.userAgent);
    request.headers.set('x-forwarded-for', `198.51.100.1, ${DEVICE.ip}`);
    return app.fetch(request, { incoming: { complete: true, socket: { remoteAddress: PROXY } } });
  };
  const of = (method: string): ProcessorContext[] =>
    calls.flatMap(([name, context]) => (name === method ? [context] : []));
  return { calls, of, send };
}

describe('R-100 the context of a processor call', () => {
  it('has the payer, the browser and the authorization, and later the reference', async () => {
    const { of, send } = await start();
    const page = await open(send, 'payment', CUSTOMER);
    await page.pay({ source: BANK });

    const started = { channel: 'QuickPay', initiator: 'payer', payer: { email: EMAIL, ...DEVICE } };
    expect(of('tokenize')).toMatchObject([{ ...started, purpose: 'charge' }]);
    const authorization = { text: TEXT, at: AT };
    expect(of('charge')).toMatchObject([{ ...started, authorization }]);
    expect(of('charge')[0]).not.toHaveProperty('reference');

    await service.control.advance(2 * DAY_MS);
    expect(of('lookup')).toMatchObject([{ ...started, authorization, reference: 'ch_77' }]);

    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refunded = { PaymentIdentifier: payment?.id, Amount: 100 };
    expect((await asMerchant(send, '/integrations/payments/refund', refunded)).status).toBe(200);
    expect(of('refund')).toMatchObject([{ ...started, reference: 'ch_77' }]);
  });

  it('has the agent as initiator of a POS payment', async () => {
    const { of, send } = await start();
    const pos = { Channel: 'POS', PosUser: 'agent@harborlight.example' };
    await (await open(send, 'payment', pos)).pay({ source: CARD });
    for (const context of [...of('tokenize'), ...of('charge')])
      expect(context).toMatchObject({ channel: 'POS', initiator: 'agent', payer: DEVICE });
    expect(of('charge')[0]?.payer).not.toHaveProperty('email');
    expect(of('charge')[0]).not.toHaveProperty('authorization');
  });

  it('has the browser that authorized a scheduled payment', async () => {
    const { of, send } = await start();
    const page = await open(send, 'schedule-payment', CUSTOMER);
    const { earliest: date } = await page.get<SchedulePageSession>();
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('schedule', {
      requestId: randomUUID(),
      amount: 100,
      date,
      methodId,
      authorization: null,
    });
    await service.control.advance(DAY_MS);

    expect(of('tokenize')).toMatchObject([{ channel: 'Scheduled', initiator: 'payer', purpose: 'save' }]);
    expect(of('charge')).toMatchObject([
      {
        channel: 'Scheduled',
        initiator: 'merchant',
        payer: { email: EMAIL, ...DEVICE },
        authorization: { text: TEXT, at: AT },
      },
    ]);
  });

  it('has the browser that authorized AutoPay, not the client that charges', async () => {
    const { of, send } = await start();
    const page = await open(send, 'autopay', CUSTOMER);
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId });
    const charge = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    const response = await asMerchant(service.fetch, '/integrations/autopay/charge', charge, {
      'user-agent': 'merchant-server',
    });
    expect(response.status).toBe(200);
    expect(of('charge')).toMatchObject([
      {
        channel: 'AutoPay',
        initiator: 'merchant',
        payer: { email: EMAIL, ...DEVICE },
        authorization: { text: TEXT, at: AT },
      },
    ]);
  });

  it('has the browser of the authorization if a charge is repeated', async () => {
    const { calls, send, of } = await start({ isLost: true });
    await (await open(send, 'payment', CUSTOMER)).pay({ source: BANK });
    await service.control.advance(180_000);
    expect(calls.map(([name]) => name).slice(0, 4)).toEqual(['tokenize', 'charge', 'lookup', 'charge']);
    expect(of('charge')[1]).toMatchObject({ payer: { email: EMAIL, ...DEVICE } });
  });

  it('has the connection’s address unless that is a trusted proxy', async () => {
    const { of, send } = await start({ trustedProxies: [] });
    await (await open(send, 'payment', CUSTOMER)).pay();
    expect(of('charge')[0]?.payer).toEqual({ email: EMAIL, ...DEVICE, ip: PROXY });
  });

  it('is not logged', async () => {
    const { send } = await start({ isLost: true });
    await (await open(send, 'payment', CUSTOMER)).pay({ source: BANK });
    await service.control.advance(DAY_MS);
    expect(logged).toContain('Processor request failed');
    for (const personal of [DEVICE.ip, DEVICE.userAgent, EMAIL, 'I authorize', '198.51.100.1'])
      expect(logged).not.toContain(personal);
  });
});
