import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkResponse, type ApiResponse } from '../../test/api.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { losing } from '../../test/losing.js';
import { API_KEY, config, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open, PageRefused, refusal, type Payer } from '../../test/payer.js';
import { startReceiver, type Receiver } from '../../test/receiver.js';
import { createApp } from '../app.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import type { SchedulePageSession } from '../shared/page.js';
import { CHARGE_LEASE_MS } from '../processor/rules/operation.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { Deps } from '../deps.js';
import type { Store } from '../core/store.js';
import { beginRefund, settleRefund } from '../refunds/begin-refund.js';
import { Refunding } from '../refunds/refunding.js';

const DAY_MS = 86_400_000;
const REFUND = '/integrations/payments/refund';
const LIST = '/integrations/payments/list';
const CANCEL = '/integrations/embedded/cancel';
const CHARGE = '/integrations/autopay/charge';

const engines = startEngines();

describeOn(engines)('%s', (engine, database) => {
  let receiver: Receiver;
  let service: OpenTestService;

  beforeEach(async () => {
    receiver = await startReceiver();
    const webhook = { url: receiver.url, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] };
    service = await startTestService({ config: config({ webhook }), database: await database() });
  });

  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  const post = async (
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => checkResponse(path, await asMerchant(service.fetch, path, body, headers));
  const opened = (flow: Parameters<typeof open>[1], body?: Record<string, unknown>): Promise<Payer> =>
    open(service.fetch, flow, body);
  const paymentOf = async (page: Payer) =>
    (await post('/integrations/embedded/query', { PaymentSessionIdentifier: page.id })).data.Payments.at(-1);
  const paid = async (
    change: Parameters<Payer['pay']>[0] = {},
    body?: Record<string, unknown>,
  ): Promise<string> => {
    const page = await opened('payment', body);
    await page.pay(change);
    return (await paymentOf(page)).Id;
  };

  const refund = (PaymentIdentifier: string, more: object = {}, headers?: Record<string, string>) =>
    post(REFUND, { PaymentIdentifier, ...more }, headers);
  const webhooks = (type: string) =>
    receiver.received.map(({ event }) => event).filter((event) => event.type === type);

  describe('refund', () => {
    it('R-80 never refunds more than was paid in ten concurrent requests', async () => {
      const id = await paid();
      const responses = await Promise.all(Array.from({ length: 10 }, () => refund(id, { Amount: 4_000 })));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(responses.filter(({ status }) => status === 400)).toHaveLength(7);
      const { payments } = await service.control.state(SLUG);
      expect(payments).toMatchObject([{ amount: 12_345, refunded: 12_000 }]);
    });

    it('R-58 R-80 repeats the response under the same key and refunds once', async () => {
      const id = await paid();
      const headers = { 'idempotency-key': randomUUID() };
      const first = await refund(id, { Amount: 100 }, headers);
      const again = await refund(id, { Amount: 100 }, headers);
      expect(again.data).toEqual(first.data);
      expect((await service.control.state(SLUG)).refunds).toHaveLength(1);
    });

    it('R-80 settles under the same id after a crash between commit and processor call', async () => {
      const id = await paid();
      const { store, clock } = service.deps;
      const input = { id: 'ref_crashed', businessUnit: SLUG, paymentId: id, amount: 500, canRefund: true };
      await store.transaction((tx) => beginRefund(tx, input, clock.now()));
      expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'pending' }]);
      await service.control.advance(CHARGE_LEASE_MS);
      const { refunds, payments } = await service.control.state(SLUG);
      expect(refunds).toMatchObject([{ amount: 500, status: 'succeeded' }]);
      expect(payments).toMatchObject([{ refunded: 500 }]);
      expect(webhooks('refund.succeeded')).toHaveLength(1);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('R-80 refunds a part and then the rest, and announces each', async () => {
      const id = await paid();
      const part = await refund(id, { Amount: 2_345, Reason: 'Billed twice' });
      expect(part.data).toEqual({
        RefundIdentifier: expect.stringMatching(/^ref_[\w-]{31}$/),
        PaymentIdentifier: id,
        Amount: 2_345,
        Status: 'succeeded',
        Refundable: 10_000,
      });
      expect((await refund(id)).data).toMatchObject({ Amount: 10_000, Status: 'succeeded', Refundable: 0 });
      expect(await refund(id)).toMatchObject({ status: 409, errors: [{ code: 'not_refundable' }] });
      await service.control.advance(0);
      expect(
        webhooks('refund.succeeded').map(({ data }) => [data.Refund?.Amount, data.Payment?.Refunded]),
      ).toEqual([
        [2_345, 2_345],
        [10_000, 12_345],
      ]);
    });

    it.each([
      [12_346, 'Amount'],
      [99_999, 'Amount'],
    ])('R-80 refuses more than the remaining balance: %i', async (Amount, field) => {
      const id = await paid();
      expect(await refund(id, { Amount })).toMatchObject({
        status: 400,
        errors: [{ code: 'invalid', field }],
      });
    });

    it('R-80 refuses any amount after a full refund', async () => {
      const id = await paid();
      await refund(id);
      expect(await refund(id, { Amount: 1 })).toMatchObject({
        status: 400,
        errors: [{ code: 'invalid', field: 'Amount' }],
      });
    });

    it('R-91 allows a hundred refunds of a payment, not counting failed ones', async () => {
      const id = await paid();
      const { RefundIdentifier } = (await refund(id, { Amount: 1 })).data;
      await service.deps.store.transaction(async (tx) => {
        const first = (await tx.refunds.get(RefundIdentifier))!;
        for (let number = 1; number < 100; number++)
          await tx.refunds.insert({
            ...first,
            id: `ref_${number}`,
            status: number === 1 ? 'failed' : first.status,
          });
      });
      expect(await refund(id, { Amount: 1 })).toMatchObject({ status: 200 });
      expect(await refund(id, { Amount: 1 })).toMatchObject({
        status: 409,
        errors: [{ code: 'not_refundable' }],
      });
    });

    it('R-80 announces a failed refund and releases its amount', async () => {
      const id = await paid();
      const failed = await refund(id, { Amount: 113 });
      expect(failed.data).toMatchObject({ Status: 'failed', Refundable: 12_345, Reason: 'refund_refused' });
      await service.control.advance(0);
      expect(webhooks('refund.failed')[0]?.data).toMatchObject({
        Refund: { Amount: 113, Status: 'failed', Reason: 'refund_refused' },
        Payment: { Refunded: 0 },
      });
      expect((await refund(id)).data).toMatchObject({ Amount: 12_345, Status: 'succeeded' });
      // Recording the outcome twice doesn't restore the balance twice.
      const { store, clock, newId } = service.deps;
      const payment = await store.read((tx) => tx.attempts.get(id));
      await store.transaction((tx) =>
        settleRefund(
          tx,
          { id: failed.data.RefundIdentifier, sessionId: payment?.sessionId ?? '' },
          { outcome: 'failed' },
          { now: clock.now(), newId, config: { businessUnits: [] } },
        ),
      );
      await service.control.advance(0);
      expect((await service.control.state(SLUG)).payments).toMatchObject([{ refunded: 12_345 }]);
      expect(webhooks('refund.failed')).toHaveLength(1);
    });

    it('R-80 reports the current remaining balance when a refund fails', async () => {
      const id = await paid();
      const processor = service.deps.processor as Required<PaymentProcessor>;
      const { refund: usual } = processor;
      let fail: (outcome: 'failed') => void = () => undefined;
      const failure = new Promise<'failed'>((resolve) => (fail = resolve));
      vi.spyOn(processor, 'refund').mockImplementation((input) =>
        input.amount === 1_000 ? failure : usual(input),
      );
      const headers = { 'idempotency-key': randomUUID() };
      const failing = refund(id, { Amount: 1_000 }, headers);
      await expect
        .poll(async () => (await service.control.state(SLUG)).payments[0])
        .toMatchObject({ refunded: 1_000 });
      expect((await refund(id, { Amount: 2_000 })).data).toMatchObject({ Refundable: 9_345 });
      fail('failed');
      expect((await failing).data).toMatchObject({ Status: 'failed', Refundable: 10_345 });
      await refund(id, { Amount: 345 });
      expect((await refund(id, { Amount: 1_000 }, headers)).data).toEqual((await failing).data);
      await service.control.advance(0);
      expect(webhooks('refund.failed')[0]?.data).toMatchObject({ Refund: { Refundable: 10_345 } });
    });

    it('R-80 keeps a refund pending and its amount reserved until the processor decides', async () => {
      const id = await paid();
      expect((await refund(id, { Amount: 114 })).data).toMatchObject({
        Status: 'pending',
        Refundable: 12_231,
      });
      expect(await refund(id, { Amount: 12_232 })).toMatchObject({ status: 400 });
      await service.control.advance(2 * DAY_MS);
      expect((await service.control.state(SLUG)).refunds).toMatchObject([{ status: 'succeeded' }]);
      expect(receiver.types().filter((type) => type.startsWith('refund.'))).toEqual(['refund.succeeded']);
    });

    it('R-80 refunds a bank payment once it has settled', async () => {
      const id = await paid({ source: BANK });
      expect(await refund(id)).toMatchObject({
        status: 409,
        errors: [{ code: 'not_refundable', message: expect.stringContaining('not settled yet') as string }],
      });
      await service.control.advance(2 * DAY_MS);
      expect((await refund(id)).data).toMatchObject({ Status: 'succeeded' });
    });

    it('R-80 refunds a scheduled payment and names the account that scheduled it', async () => {
      const page = await opened('schedule-payment');
      const { earliest: date } = await page.get<{ earliest: string }>();
      const { id: methodId } = await page.addMethod();
      await page.schedule({ amount: 7_630, date, methodId });
      await service.control.advance(2 * DAY_MS);
      const [executed] = (await post(LIST, {})).data.Payments;
      expect((await refund(executed.Id, { Amount: 630 })).data).toMatchObject({
        Status: 'succeeded',
        Refundable: 7_000,
      });
      await service.control.advance(0);
      expect(webhooks('refund.succeeded')).toMatchObject([
        { data: { Account: { AccountNumber: '1001' }, Refund: { Amount: 630 }, Payment: { Refunded: 630 } } },
      ]);
    });

    it('R-80 refuses declined, unknown and foreign payments', async () => {
      const page = await opened('payment');
      await page.pay({ source: { ...CARD, cardNumber: '4000000000000002' } });
      const declined = await paymentOf(page);
      expect(await refund(declined.Id)).toMatchObject({
        status: 409,
        errors: [
          {
            code: 'not_refundable',
            field: 'PaymentIdentifier',
            message: expect.stringContaining('has not succeeded') as string,
          },
        ],
      });
      expect(await refund('pay_unknown')).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
      expect((await post(REFUND, {}, { 'x-service-api-key': 'stg_of_nobody' })).status).toBe(401);
    });
  });

  describe('cancel', () => {
    const cancel = (page: Payer) => post(CANCEL, { PaymentSessionIdentifier: page.id });

    const refusalWith = (words: string) => ({
      code: 'not_cancelable',
      field: 'PaymentSessionIdentifier',
      message: expect.stringContaining(words) as string,
    });

    it('R-81 refuses if a payment is in flight, completed or started concurrently', async () => {
      const bank = await opened('payment');
      await bank.pay({ source: BANK });
      expect(await cancel(bank)).toMatchObject({ status: 409, errors: [{ code: 'not_cancelable' }] });
      const made = await opened('payment');
      await made.pay();
      expect(await cancel(made)).toMatchObject({ status: 409, errors: [{ code: 'not_cancelable' }] });
      for (let round = 0; round < 10; round++) {
        const page = await opened('payment');
        const [canceled, payment] = await Promise.all([
          cancel(page),
          page.pay().catch((error: unknown) => error),
        ]);
        const wasPaid = !(payment instanceof Error);
        expect(canceled.status).toBe(wasPaid ? 409 : 200);
      }
    });

    it('R-81 closes a completed management session, whose link adds no method afterwards', async () => {
      const page = await opened('wallet');
      await page.post('done');
      expect((await cancel(page)).data).toEqual({ Status: 'Canceled' });
      expect((await cancel(page)).data).toEqual({ Status: 'Canceled' });
      await expect(page.addMethod()).rejects.toMatchObject({ errors: [{ code: 'canceled' }] });
      await expect(page.post('done')).rejects.toMatchObject({ errors: [{ code: 'canceled' }] });
      await service.control.advance(0);
      expect(webhooks('session.canceled')).toMatchObject([{ data: { Status: 'Canceled' } }]);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('R-81 closes an open session permanently, announces it once, and repeats its response', async () => {
      const page = await opened('payment');
      expect((await cancel(page)).data).toEqual({ Status: 'Canceled' });
      expect((await cancel(page)).data).toEqual({ Status: 'Canceled' });
      await expect(page.get()).rejects.toMatchObject({ status: 410, errors: [{ code: 'canceled' }] });
      await expect(page.pay()).rejects.toThrow(PageRefused);
      await service.control.advance(0);
      expect(webhooks('session.canceled')).toMatchObject([{ data: { Status: 'Canceled' } }]);
      expect((await service.control.state(SLUG)).sessions).toMatchObject([{ status: 'Canceled' }]);
    });

    it('R-81 closes management sessions too', async () => {
      const page = await opened('wallet');
      expect((await cancel(page)).status).toBe(200);
      await expect(page.get()).rejects.toMatchObject({ errors: [{ code: 'canceled' }] });
    });

    it('R-81 refuses unknown and expired sessions', async () => {
      expect(await post(CANCEL, { PaymentSessionIdentifier: 'stg_unknown' })).toMatchObject({ status: 404 });
      const page = await opened('payment');
      await service.control.advance(31 * 60_000);
      expect(await cancel(page)).toMatchObject({ status: 409, errors: [refusalWith('has expired')] });
      const done = await opened('wallet');
      await done.post('done');
      await service.control.advance(61 * 60_000);
      expect(await cancel(done)).toMatchObject({ status: 409, errors: [refusalWith('has expired')] });
      const returned = await opened('payment');
      await returned.pay({ source: { ...BANK, accountNumber: '000111111113' } });
      await service.control.advance(2 * DAY_MS);
      expect(await cancel(returned)).toMatchObject({ status: 409, errors: [refusalWith('was returned')] });
    });
  });

  describe('list', () => {
    it('R-82 pages without gaps or repeats while payments arrive, and matches the ledger total', async () => {
      const first: string[] = [];
      for (let i = 0; i < 12; i++) first.push(await paid());
      await refund(first[3]!, { Amount: 345 });
      const seen: { Id: string; Amount: number; Refunded: number }[] = [];
      let cursor: string | undefined;
      do {
        const page = await post(LIST, { Limit: 5, ...(cursor === undefined ? {} : { Cursor: cursor }) });
        seen.push(...page.data.Payments);
        cursor = page.data.NextCursor;
        if (seen.length === 5) first.push(await paid());
      } while (cursor !== undefined);
      expect(seen.map(({ Id }) => Id)).toEqual(first);
      expect(seen.reduce((sum, { Amount, Refunded }) => sum + Amount - Refunded, 0)).toBe(13 * 12_345 - 345);
    });

    it('R-82 filters by time, status and reference', async () => {
      const early = await paid({}, { ClientReference: 'invoice-1' });
      await service.control.advance(DAY_MS);
      const noon = new Date(service.deps.clock.now()).toISOString();
      const late = await paid({ source: BANK });
      const ids = async (filter: object) =>
        (await post(LIST, filter)).data.Payments.map(({ Id }: { Id: string }) => Id);
      expect(await ids({ ClientReference: 'invoice-1' })).toEqual([early]);
      expect(await ids({ Status: 'pending' })).toEqual([late]);
      expect(await ids({ Status: 'succeeded' })).toEqual([early]);
      expect(await ids({ From: noon })).toEqual([late]);
      expect(await ids({ To: noon })).toEqual([early]);
      expect(await ids({ ClientReference: 'nobody' })).toEqual([]);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it.each([{ Cursor: 'made up' }, { Limit: 0 }, { Limit: 501 }, { Status: 'lost' }, { From: 'yesterday' }])(
      'R-82 refuses %o with its field',
      async (filter) => {
        const [field] = Object.keys(filter);
        expect(await post(LIST, filter)).toMatchObject({ status: 400, errors: [{ field }] });
      },
    );

    it('R-43 R-82 refuses an end before the start with both fields, and accepts an equal one', async () => {
      expect(await post(LIST, { From: '2026-03-02', To: '2026-03-01T23:59:59Z' })).toMatchObject({
        status: 400,
        errors: [
          { code: 'invalid', field: 'From' },
          { code: 'invalid', field: 'To' },
        ],
      });
      // The same instant, written in two ways.
      const none = await post(LIST, { From: '2026-03-01', To: '2026-03-01T02:00:00+02:00' });
      expect(none).toMatchObject({ status: 200, data: { Payments: [] } });
    });

    it('R-43 R-82 reports a wrong cursor together with other problems', async () => {
      const { errors } = await post(LIST, { Limit: 0, Cursor: 'made up', Status: 'lost' });
      expect(new Set(errors.map(({ field }) => field))).toEqual(new Set(['Cursor', 'Limit', 'Status']));
      expect((await post(LIST, { Cursor: 5 })).errors).toMatchObject([{ field: 'Cursor' }]);
    });
  });

  describe('AutoPay charge', () => {
    const enrolled = async (
      source: typeof CARD | typeof BANK = CARD,
      accountNumber = '1001',
    ): Promise<Payer> => {
      const page = await opened('autopay', {
        ClientAccount: { AccountNumber: accountNumber, Name: 'Ada Byron' },
      });
      const method = await page.addMethod(source);
      await page.post('autopay/enroll', { methodId: method.id });
      return page;
    };
    const charge = (more: object = {}, headers?: Record<string, string>) =>
      post(CHARGE, { AccountNumber: '1001', Amount: 7_630, ClientReference: randomUUID(), ...more }, headers);

    it('R-83 charges the enrolled method once per reference, and announces it like any payment', async () => {
      await enrolled();
      const charged = await charge({ ClientReference: 'bill-1' });
      expect(charged.data).toEqual({
        PaymentIdentifier: expect.stringMatching(/^pay_[\w-]{31}$/),
        Status: 'succeeded',
      });
      expect(await charge({ ClientReference: 'bill-1' })).toMatchObject({
        status: 409,
        errors: [{ code: 'client_reference_taken' }],
      });
      await service.control.advance(0);
      expect(webhooks('payment.succeeded')[0]?.data).toMatchObject({
        Account: { AccountNumber: '1001' },
        Payment: { Id: charged.data.PaymentIdentifier, Amount: 7_630, ClientReference: 'bill-1' },
        Payments: [{ Id: charged.data.PaymentIdentifier, Status: 'succeeded' }],
      });
      expect((await post(LIST, { ClientReference: 'bill-1' })).data.Payments).toHaveLength(1);
      expect((await refund(charged.data.PaymentIdentifier)).data).toMatchObject({ Status: 'succeeded' });
    });

    it('R-26 R-83 shares references with payment sessions, in both directions and concurrently', async () => {
      await enrolled();
      await opened('payment', { ClientReference: 'session-1' });
      expect(await charge({ ClientReference: 'session-1' })).toMatchObject({ status: 409 });
      await charge({ ClientReference: 'bill-1' });
      await expect(opened('payment', { ClientReference: 'bill-1' })).rejects.toThrow(
        /client_reference_taken/,
      );
      const both = await Promise.all([
        charge({ ClientReference: 'both' }).then(({ status }) => status === 200),
        opened('payment', { ClientReference: 'both' }).then(
          () => true,
          () => false,
        ),
      ]);
      expect(both.filter(Boolean)).toHaveLength(1);
    });

    // The rest does not depend on the engine.
    if (engine === 'PostgreSQL') return;

    it('R-73 R-83 charges under the payer’s authorization', async () => {
      const page = await opened('autopay');
      const method = await page.addMethod(BANK);
      await page.post('autopay/enroll', { methodId: method.id });
      const { data } = await charge();
      const { attempt, kept } = await service.deps.store.read(async (tx) => {
        const attempt = await tx.attempts.get(data.PaymentIdentifier);
        return { attempt, kept: await tx.authorizations.list(SLUG) };
      });
      expect(kept).toMatchObject([
        { id: attempt?.authorizationId, text: expect.stringContaining('every bill') },
      ]);
    });

    it('R-68 R-83 passes the amount and statement description to the processor', async () => {
      await enrolled();
      const chargeSpy = vi.spyOn(service.deps.processor as PaymentProcessor, 'charge');
      const { data } = await charge({ Description: 'Water, November' });
      expect(chargeSpy.mock.calls).toMatchObject([
        [{ attemptId: data.PaymentIdentifier, amount: 7_630, context: { descriptor: 'Water, November' } }],
      ]);
    });

    it('R-83 refuses an account that is unknown, not enrolled or no longer enrolled', async () => {
      expect(await charge()).toMatchObject({
        status: 404,
        errors: [{ code: 'account_not_found', field: 'AccountNumber' }],
      });
      await opened('autopay');
      expect(await charge()).toMatchObject({
        status: 409,
        errors: [{ code: 'not_enrolled', field: 'AccountNumber' }],
      });
      const page = await enrolled();
      await page.post('autopay/unenroll');
      expect(await charge()).toMatchObject({ status: 409, errors: [{ code: 'not_enrolled' }] });
    });

    it('R-83 refuses an expired card with the reason', async () => {
      const now = new Date(service.deps.clock.now());
      const expiry = `${String(now.getUTCMonth() + 1).padStart(2, '0')}/${String(now.getUTCFullYear()).slice(2)}`;
      await enrolled({ ...CARD, expiry });
      expect((await charge()).data).toMatchObject({ Status: 'succeeded' });
      await service.control.advance(32 * DAY_MS);
      expect(await charge()).toMatchObject({
        status: 409,
        errors: [{ code: 'not_enrolled', message: expect.stringContaining('expired') as string }],
      });
    });

    it('R-83 refuses a method that is no longer offered, and names it', async () => {
      await enrolled(BANK);
      service.deps.config.businessUnits[0]?.paymentMethods.splice(1);
      expect(await charge()).toMatchObject({
        status: 409,
        errors: [
          { code: 'not_enrolled', message: expect.stringMatching(/^ACH is no longer accepted\./) as string },
        ],
      });
    });

    it('R-83 reports a decline with its reason', async () => {
      await enrolled({ ...CARD, cardNumber: '4000000000009995' });
      expect((await charge()).data).toMatchObject({ Status: 'declined' });
      await service.control.advance(0);
      expect(webhooks('payment.failed')[0]?.data.Payment).toMatchObject({ Reason: 'insufficient_funds' });
    });

    it('R-83 blocks a method whose bank forbids a retry, for merchant and payer', async () => {
      await enrolled({ ...BANK, accountNumber: '000111111113' });
      expect((await charge()).data).toMatchObject({ Status: 'pending' });
      await service.control.advance(2 * DAY_MS);
      expect(webhooks('payment.failed')[0]?.data.Payment).toMatchObject({
        Status: 'returned',
        Reason: 'R03',
      });
      expect(await charge()).toMatchObject({
        status: 409,
        errors: [{ code: 'not_enrolled', message: expect.stringContaining('R03') as string }],
      });
      const page = await opened('schedule-payment');
      const { savedMethods, earliest } = await page.get<SchedulePageSession>();
      expect(savedMethods).toMatchObject([{ blocked: 'R03' }]);
      const input = { requestId: randomUUID(), amount: 100, date: earliest, methodId: savedMethods[0]?.id };
      expect(await refusal(page.post('schedule', input))).toMatchObject({
        status: 400,
        errors: [{ field: 'methodId', reason: 'method_blocked' }],
      });
    });
  });

  it('R-58 R-80 R-83 does not repeat committed work after a lost response', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    const PaymentIdentifier = await paid();
    const app = createApp({ ...service.deps, store: losing(service.deps.store) });
    const fetch = (path: string, init?: RequestInit): Promise<Response> =>
      app.fetch(new Request(new URL(path, 'http://service.test'), init));
    const ask = async (path: string, body: object): Promise<ApiResponse> =>
      checkResponse(path, await asMerchant(fetch, path, body));
    expect(await ask(REFUND, { PaymentIdentifier, Amount: 10_000 })).toMatchObject({
      status: 200,
      data: { Status: 'succeeded', Refundable: 2_345 },
    });
    const bill = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    expect(await ask(CHARGE, bill)).toMatchObject({ status: 200, data: { Status: 'succeeded' } });
    const { id: PaymentSessionIdentifier } = await opened('payment');
    expect(await ask(CANCEL, { PaymentSessionIdentifier })).toMatchObject({
      status: 200,
      data: { Status: 'Canceled' },
    });
    const { refunds, payments } = await service.control.state(SLUG);
    expect([refunds.length, payments.length]).toEqual([1, 2]);
    await service.control.advance(0);
    expect(webhooks('session.canceled')).toHaveLength(1);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-57 R-83 does not charge a scheduled payment whose method the bank has blocked', async () => {
    const page = await opened('schedule-payment');
    const { earliest } = await page.get<{ earliest: string }>();
    const later = new Date(Date.parse(earliest) + 7 * DAY_MS).toISOString().slice(0, 10);
    const { id: methodId } = await page.addMethod({ ...BANK, accountNumber: '000111111113' });
    for (const date of [earliest, later]) await page.schedule({ amount: 100, date, methodId });
    for (let day = 0; day < 11; day++) await service.control.advance(DAY_MS);
    const { payments, scheduledPayments } = await service.control.state(SLUG);
    expect(payments).toMatchObject([{ status: 'returned', reason: 'R03' }]);
    expect(scheduledPayments.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(webhooks('scheduled_payment.failed').map(({ data }) => data.ScheduledPayment?.Reason)).toEqual([
      'The bank returned the payment.',
      expect.stringContaining('R03'),
    ]);
  });

  it('R-60 R-80 R-83 calls the processor before a test drops the response', async () => {
    const page = await opened('autopay');
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId });
    const PaymentIdentifier = await paid();
    const bill = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    for (const [path, body] of [
      [CHARGE, bill],
      [REFUND, { PaymentIdentifier, Amount: 100 }],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() };
      service.control.fault({ kind: 'drop-after-commit', times: 1, path });
      await expect(post(path, body, headers)).rejects.toThrow('dropped after the commit');
      expect(await post(path, body, headers)).toMatchObject({ status: 200, data: { Status: 'succeeded' } });
    }
    const { refunds, payments } = await service.control.state(SLUG);
    expect([refunds.length, payments.length]).toEqual([1, 2]);
  });

  describe('R-61 a refund gets a response in time', () => {
    /** Seconds until the response, with the given database behavior. */
    const responseTime = async (
      change: (deps: OpenTestService['deps'], later: (ms: number) => Promise<void>) => Partial<Deps>,
    ): Promise<{ status: number | undefined; seconds: number }> => {
      const PaymentIdentifier = await paid();
      /** Pending database calls. */
      const pending = new Set<Promise<unknown>>();
      const remember = <T>(response: Promise<T>): Promise<T> => {
        pending.add(response);
        const forget = (): void => void pending.delete(response);
        response.then(forget, forget);
        return response;
      };
      const { store } = service.deps;
      const deps: OpenTestService['deps'] = {
        ...service.deps,
        store: {
          ...store,
          read: (work) => remember(store.read(work)),
          transaction: (work, options) => remember(store.transaction(work, options)),
        },
      };
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      });
      try {
        const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
        const app = createApp({ ...deps, ...change(deps, later) });
        const fetch = async (path: string, init?: RequestInit): Promise<Response> =>
          app.fetch(new Request(new URL(path, 'http://service.test'), init));
        const statuses: number[] = [];
        const input = { PaymentIdentifier, Amount: 100 };
        void asMerchant(fetch, REFUND, input).then(({ status }) => statuses.push(status));
        let seconds = 0;
        for (; statuses.length === 0 && seconds < 60; seconds++) {
          await vi.advanceTimersByTimeAsync(1_000);
          // Timers start work on a real database; wait for it.
          do {
            await Promise.all([...pending].map((response) => response.catch(() => undefined)));
            await new Promise(setImmediate);
          } while (pending.size > 0);
        }
        return { status: statuses[0], seconds };
      } finally {
        vi.useRealTimers();
      }
    };
    const never = (): Promise<never> => new Promise(() => undefined);
    const hanging = (deps: Deps): Refunding =>
      new Refunding({ ...deps, processor: { ...(deps.processor as PaymentProcessor), refund: never } });
    const slow = ({ store }: Deps, later: (ms: number) => Promise<void>): Store => ({
      ...store,
      transaction: async (work, options) => {
        const done = await store.transaction(work, options);
        await later(10_000);
        return done;
      },
    });

    it('if the database and then the processor are slow', async () => {
      const { status, seconds } = await responseTime((deps, later) => ({
        store: slow(deps, later),
        refunding: hanging(deps),
      }));
      expect(status).toBe(200);
      expect(seconds).toBeLessThanOrEqual(20);
    });

    it('if the database hangs while claiming it', async () => {
      const { status, seconds } = await responseTime((deps, later) => {
        const clock = { offset: 0, at: () => 0, now: () => Date.now() + CHARGE_LEASE_MS };
        const store = { ...deps.store, transaction: never };
        return { store: slow(deps, later), refunding: new Refunding({ ...deps, clock, store }) };
      });
      expect(status).toBe(200);
      expect(seconds).toBeLessThanOrEqual(20);
    });
  });

  it('R-50 R-80 R-81 a business unit can’t refund or cancel another’s payments', async () => {
    const other = { BusinessUnitSlug: 'other' };
    const { businessUnits } = config() as { businessUnits: object[] };
    const both = await startTestService({
      config: {
        businessUnits: [...businessUnits, { slug: 'other', name: 'Other' }],
        apiKeys: [{ key: API_KEY, businessUnits: [SLUG, 'other'] }],
      },
      database: await database(),
    });
    const ask = async (path: string, body: object): Promise<ApiResponse> =>
      checkResponse(path, await asMerchant(both.fetch, path, body));
    const [paid, waiting] = [await open(both.fetch, 'payment'), await open(both.fetch, 'payment')];
    await paid.pay();
    const [payment] = await both.deps.store.read((tx) => tx.attempts.ofSession(paid.id));
    const input = { PaymentIdentifier: payment?.id };
    expect(await ask(REFUND, { ...input, ...other })).toMatchObject({
      status: 404,
      errors: [{ code: 'not_found', field: 'PaymentIdentifier' }],
    });
    const cancel = { PaymentSessionIdentifier: waiting.id };
    expect(await ask(CANCEL, { ...cancel, ...other })).toMatchObject({
      status: 404,
      errors: [{ code: 'not_found', field: 'PaymentSessionIdentifier' }],
    });
    expect([(await ask(REFUND, input)).status, (await ask(CANCEL, cancel)).status]).toEqual([200, 200]);
    await both.close();
  });

  it('R-44 announces a returned bank payment once, and charges nothing more', async () => {
    const page = await opened('payment');
    await page.pay({ source: { ...BANK, accountNumber: '000222222227' } });
    const { Id } = await paymentOf(page);
    await service.control.advance(3 * DAY_MS);
    expect(await paymentOf(page)).toMatchObject({ Status: 'succeeded' });
    await service.control.advance(20 * DAY_MS);
    expect(await paymentOf(page)).toMatchObject({ Status: 'returned', Reason: 'R10' });
    expect((await service.control.state(SLUG)).sessions).toMatchObject([{ status: 'Failed' }]);
    expect(webhooks('payment.failed')).toHaveLength(1);
    expect(await refund(Id)).toMatchObject({ status: 409, errors: [{ code: 'not_refundable' }] });
    await service.control.advance(60 * DAY_MS);
    expect(webhooks('payment.failed')).toHaveLength(1);
  });
});
