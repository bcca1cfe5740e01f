/** Charges that require a challenge. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { asMerchant, CARD, open, query } from '../../test/payer.js';
import type { Payer } from '../../test/payer.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { startTestService } from '../start/test-service.js';
import type { OpenTestService } from '../start/test-service.js';
import type { Attempt as AttemptAnswer, SchedulePageSession } from '../shared/page.js';
import type { Log } from '../platform/log/log.js';

const CHALLENGED = { ...CARD, cardNumber: '4000 0000 0000 3220' };
const ORIGIN = 'https://challenges.gateway.example';
const URL_OF_CHALLENGE = `${ORIGIN}/3ds?id=7`;
const REQUIRES = { outcome: 'requires_action', action: { url: URL_OF_CHALLENGE } } as const;
const MINUTE = 60_000;
const WEBHOOK = { url: 'http://127.0.0.1:9/', secrets: SECRETS };
const CUSTOMER = { ClientUser: { EmailAddress: 'mira.osei@example.com' } };

let service: OpenTestService;
afterEach(() => service.close());

const payments = async () => (await service.control.state(SLUG)).payments;
const statusOf = async (page: Payer) => (await query<{ Status: string }>(service.fetch, page.id)).Status;

function urlOf(response: AttemptAnswer): string {
  if (response.status !== 'requires_action') throw new Error(`answered ${response.status}`);
  return response.action.url;
}

const press = (url: string, response: string) =>
  service.fetch(url, { method: 'POST', body: new URLSearchParams({ answer: response }), redirect: 'manual' });

describe('with the test card', () => {
  beforeEach(async () => {
    service = await startTestService({ config: config() });
  });

  async function pay() {
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    return { page, attemptId, url: urlOf(await page.pay({ attemptId, source: CHALLENGED })) };
  }

  it('R-101 a payment waits for its payer and succeeds once they approve it', async () => {
    const { page, attemptId, url } = await pay();
    expect(await statusOf(page)).toBe('Processing');
    expect(await (await service.fetch(url)).text()).toContain('Approve');

    const back = await press(url, 'approved');
    expect(back.headers.get('location')).toBe(`http://service.test/s/${page.id}/returned`);
    expect(await page.post(`attempts/${attemptId}/returned`)).toMatchObject({ status: 'succeeded' });
    expect(await statusOf(page)).toBe('Succeeded');
    expect(await payments()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('R-101 a failed challenge declines the payment, and another card can pay', async () => {
    const { page, attemptId, url } = await pay();
    await press(url, 'declined');
    expect(await page.post(`attempts/${attemptId}/returned`)).toMatchObject({
      status: 'declined',
      attemptsLeft: 9,
    });
    expect(await page.pay()).toMatchObject({ status: 'succeeded' });
  });

  it('R-91 refuses a body larger than the form sends', async () => {
    const { page, attemptId, url } = await pay();
    const body = new URLSearchParams({ answer: 'approved', more: 'x'.repeat(2_000) });
    expect((await service.fetch(url, { method: 'POST', body })).status).toBe(413);
    expect(await page.post(`attempts/${attemptId}/returned`)).toMatchObject({ status: 'requires_action' });
  });

  it('R-101 canceling the challenge charges nothing, and it can no longer be passed', async () => {
    const { page, attemptId, url } = await pay();
    expect(await page.post(`attempts/${attemptId}/cancel`)).toMatchObject({ status: 'declined' });
    await press(url, 'approved');
    expect(await page.post(`attempts/${attemptId}/returned`)).toMatchObject({ status: 'declined' });
    await service.control.advance(60 * MINUTE);
    expect(await payments()).toMatchObject([{ status: 'declined' }]);
  });

  it('R-101 canceling has no effect once the payment has succeeded', async () => {
    const { page, attemptId, url } = await pay();
    await press(url, 'approved');
    expect(await page.post(`attempts/${attemptId}/cancel`)).toMatchObject({ status: 'succeeded' });
  });

  it('R-101 finds the outcome even if the page is closed', async () => {
    const { page, url } = await pay();
    await press(url, 'approved');
    await service.control.advance(5_000);
    expect(await statusOf(page)).toBe('Succeeded');
  });

  it('R-101 a challenge times out after 15 minutes, even if the session expires earlier', async () => {
    const { page, attemptId } = await pay();
    await service.control.advance(14 * MINUTE);
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'requires_action' });
    await service.control.advance(2 * MINUTE);
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'declined' });
    expect(await payments()).toMatchObject([{ status: 'declined' }]);
  });

  it('R-101 a reload and a second tab find the same challenge, and pay once', async () => {
    const { page, attemptId, url } = await pay();
    const inFlightAmount = (await payments())[0]?.amount;
    expect(await page.get()).toMatchObject({ status: 'Processing', inFlight: attemptId, inFlightAmount });
    expect(urlOf(await page.get(`attempts/${attemptId}`))).toBe(url);
    expect(urlOf(await page.pay({ attemptId, source: CHALLENGED }))).toBe(url);
    await press(url, 'approved');
    const tabs = [
      page.post<AttemptAnswer>(`attempts/${attemptId}/returned`),
      page.post<AttemptAnswer>(`attempts/${attemptId}/returned`),
    ];
    // The other tab does not call the processor concurrently.
    expect((await Promise.all(tabs)).map(({ status }) => status)).toContain('succeeded');
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'succeeded' });
    expect(await payments()).toHaveLength(1);
  });

  it('R-101 its outcome counts as unknown only once the payer’s time is over', async () => {
    const { attemptId, page } = await pay();
    const unknownSince = async () => {
      const now = service.deps.clock.now() + 15 * MINUTE;
      const read = (at: number) => service.deps.store.read((tx) => tx.agenda.backlog(at));
      return [await read(service.deps.clock.now()), await read(now)].map(
        ({ processingSince }) => processingSince,
      );
    };
    expect(await page.get(`attempts/${attemptId}`)).toMatchObject({ status: 'requires_action' });
    const [during, after] = await unknownSince();
    expect(during).toBeNull();
    expect(after).toBeGreaterThan(service.deps.clock.now());
  });

  it('R-101 the challenge page shows no other payments', async () => {
    const page = await open(service.fetch, 'payment');
    await page.pay();
    for (const attempt of ['pay_1', '', 'x'.repeat(300), '%00']) {
      const url = `http://service.test/test-processor/challenge?attempt=${attempt}`;
      expect((await service.fetch(url)).status).toBe(404);
      expect((await press(url, 'approved')).status).toBe(404);
    }
  });

  it('R-91 a broken-off body of its form is no error of the service', async () => {
    const { url } = await pay();
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('aborted')),
    });
    const request = new Request(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect((await service.fetch(request)).status).toBe(400);
  });
});

describe('with another processor', () => {
  /** Errors that the current test's service logs. An earlier service may still be stopping. */
  let logged: string[];
  async function start(change: Partial<PaymentProcessor>) {
    const own: string[] = [];
    logged = own;
    const log: Log = {
      info: () => undefined,
      warn: () => undefined,
      error: (message) => void own.push(message),
    };
    const processor = {
      tokenize: async () => ({ token: 'tok', last4: '4242' }),
      charge: vi.fn<PaymentProcessor['charge']>(async () => REQUIRES),
      lookup: vi.fn<PaymentProcessor['lookup']>(async () => REQUIRES),
      frameOrigins: [ORIGIN],
      ...change,
    };
    service = await startTestService({ config: config({ webhook: WEBHOOK }), processor, log });
    return processor;
  }
  const page = () => open(service.fetch, 'payment');

  it('R-101 the page frames only the origins of the processor, and charge gets the return URL', async () => {
    const { charge } = await start({});
    const payer = await page();
    expect(urlOf(await payer.pay())).toBe(URL_OF_CHALLENGE);
    expect(vi.mocked(charge).mock.calls[0]?.[0].context.returnUrl).toBe(
      `http://service.test/s/${payer.id}/returned`,
    );
    const { headers } = await service.fetch(`/s/${payer.id}`);
    expect(headers.get('content-security-policy')).toContain(`frame-src 'self' ${ORIGIN};`);
    expect(headers.get('cross-origin-embedder-policy')).toBe('unsafe-none');
  });

  it.each(['https://elsewhere.example/3ds', 'javascript:alert(1)', `blob:${ORIGIN}/7`, 'no address', 7])(
    'R-101 does not show a challenge at %s, and logs why',
    async (url) => {
      const action = { url: url as string };
      await start({ charge: async () => ({ outcome: 'requires_action', action }) });
      expect(await (await page()).pay()).toMatchObject({ status: 'processing' });
      expect(logged.splice(0).join()).toMatch(/frameOrigins|invalid outcome/);
    },
  );

  it('R-101 ends a challenge that cannot be shown', async () => {
    const required = { ...REQUIRES, action: { url: 'https://elsewhere.example/3ds' } };
    await start({ charge: async () => required, cancel: async () => 'declined' });
    expect(await (await page()).pay()).toMatchObject({ status: 'declined' });
    expect(logged.splice(0).join()).toContain('frameOrigins');
  });

  it('R-101 says that a canceled challenge was not completed, not that the card was declined', async () => {
    await start({ cancel: async () => 'declined' });
    const payer = await page();
    const attemptId = randomUUID();
    await payer.pay({ attemptId });
    const result = await payer.post(`attempts/${attemptId}/cancel`);
    expect(result).toMatchObject({ status: 'declined', advice: 'not_confirmed' });
    expect(await payments()).toMatchObject([{ reason: 'authentication_canceled' }]);
  });

  it('R-101 ends a canceled challenge if the processor no longer knows the charge', async () => {
    const cancel = vi.fn<NonNullable<PaymentProcessor['cancel']>>(async () => REQUIRES);
    await start({ cancel });
    const payer = await page();
    const attemptId = randomUUID();
    await payer.pay({ attemptId });
    expect(await payer.post(`attempts/${attemptId}/cancel`)).toMatchObject({ status: 'processing' });
    expect(logged.splice(0)).toEqual([]);

    cancel.mockResolvedValue('never_seen');
    await service.control.advance(MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'processing' });
    await service.control.advance(2 * MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'declined' });
    expect(await payments()).toMatchObject([{ reason: 'authentication_canceled' }]);
  });

  it('R-101 a charge with a lost response shows its challenge after the next lookup', async () => {
    const { charge } = await start({ charge: vi.fn(() => Promise.reject(new Error('lost'))) });
    const payer = await page();
    const attemptId = randomUUID();
    expect(await payer.pay({ attemptId })).toMatchObject({ status: 'processing' });
    await service.control.advance(10_000);
    expect(urlOf(await payer.get(`attempts/${attemptId}`))).toBe(URL_OF_CHALLENGE);
    expect(charge).toHaveBeenCalledTimes(1);
  });

  it('R-101 without cancel a challenge ends when the processor ends it', async () => {
    const { lookup } = await start({});
    const payer = await page();
    const attemptId = randomUUID();
    await payer.pay({ attemptId });
    expect(await payer.post(`attempts/${attemptId}/cancel`)).toEqual({ status: 'processing', attemptId });
    await service.control.advance(60 * MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'processing' });
    vi.mocked(lookup).mockResolvedValue({ outcome: 'declined', reason: 'expired' });
    await service.control.advance(2 * 60 * MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'declined' });
  });

  it('R-101 retries a failed cancel before it reports an outcome', async () => {
    const cancel = vi.fn<NonNullable<PaymentProcessor['cancel']>>(() => Promise.reject(new Error('down')));
    await start({ cancel });
    const payer = await page();
    const attemptId = randomUUID();
    await payer.pay({ attemptId });
    expect(await payer.post(`attempts/${attemptId}/cancel`)).toEqual({ status: 'processing', attemptId });
    cancel.mockResolvedValue('declined');
    await service.control.advance(MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'declined' });
    expect(cancel).toHaveBeenCalledTimes(2);
  });

  it('R-101 an event settles a payment during its challenge, and late lookups change nothing', async () => {
    await start({
      receive: async ({ body }) => JSON.parse(new TextDecoder().decode(body)) as [],
    });
    const payer = await page();
    const attemptId = randomUUID();
    await payer.pay({ attemptId });
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    await service.fetch('/processor/events', {
      method: 'POST',
      body: JSON.stringify([{ attemptId: attempt?.id, outcome: 'succeeded' }]),
    });
    await service.control.advance(MINUTE);
    expect(await payer.get(`attempts/${attemptId}`)).toMatchObject({ status: 'succeeded' });
    const stored = await service.deps.store.read((tx) => tx.attempts.get(attempt?.id ?? ''));
    expect(stored?.actionUrl).toBeUndefined();
  });

  /** Bodies of the webhooks that report a failure. */
  const failures = async (): Promise<string[]> => {
    const messages = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
    return messages.filter(({ type }) => /failed|declined/.test(type)).map(({ body }) => body);
  };
  async function enrolled(): Promise<void> {
    const payer = await open(service.fetch, 'autopay', CUSTOMER);
    const { id: methodId } = await payer.addMethod(CARD);
    await payer.post('autopay/enroll', { methodId });
  }
  const chargeByAutopay = async (): Promise<unknown> => {
    const bill = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    const response = await asMerchant(service.fetch, '/integrations/autopay/charge', bill);
    return ((await response.json()) as { data: unknown }).data;
  };

  it('R-101 an AutoPay charge that needs the payer fails with a reason, in its webhook too', async () => {
    const { charge } = await start({});
    await enrolled();
    expect(await chargeByAutopay()).toMatchObject({ Status: 'declined' });
    expect(vi.mocked(charge).mock.calls[0]?.[0].context).not.toHaveProperty('returnUrl');
    expect(await failures()).toEqual([expect.stringContaining('authentication_required')]);
  });

  it('R-101 an AutoPay charge whose challenge cannot be ended has no outcome yet', async () => {
    const cancel = vi.fn<NonNullable<PaymentProcessor['cancel']>>(() => Promise.reject(new Error('down')));
    await start({ cancel });
    await enrolled();
    expect(await chargeByAutopay()).toMatchObject({ Status: 'pending' });
    cancel.mockResolvedValue('declined');
    await service.control.advance(MINUTE);
    expect(await payments()).toMatchObject([{ status: 'declined' }]);
  });

  it('R-101 a scheduled payment that needs the payer fails with a reason', async () => {
    await start({});
    const payer = await open(service.fetch, 'schedule-payment', CUSTOMER);
    const { earliest: date } = await payer.get<SchedulePageSession>();
    const { id: methodId } = await payer.addMethod(CARD);
    await payer.schedule({ amount: 100, date, methodId });
    await service.control.advance(24 * 60 * MINUTE);
    expect(await payments()).toMatchObject([{ status: 'declined' }]);
    expect(await failures()).toEqual([expect.stringContaining('authentication_required')]);
  });

  it.each([
    [['https://a.example/']],
    [['a.example']],
    [["https://a.example; script-src 'unsafe-inline'"]],
    [[undefined]],
    ['https://a.example'],
  ])('R-101 refuses to start with frameOrigins %j', async (frameOrigins) => {
    const processor = { ...(await start({})), frameOrigins: frameOrigins as string[] };
    await expect(startTestService({ processor })).rejects.toMatchObject({
      code: 'processor_invalid',
      message: expect.stringContaining('frameOrigins'),
    });
  });
});
