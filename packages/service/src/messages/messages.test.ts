/** Messages to payers, from the event to the mail server. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { account, config, SECRETS, SLUG } from '../../test/merchant.js';
import type { ClientAccount } from '@embedded-sessions/server-types';
import { asMerchant, BANK, CARD, DECLINED, open, refusal, RETURNED } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { startSmtp, type SmtpBehavior, type SmtpServer } from '../../test/smtp.js';
import type {
  AutopayPageSession,
  NewSource,
  SchedulePageSession,
  WalletPageSession,
} from '../shared/page.js';
import type { ControlState } from '../control/state.js';
import { addDays } from '../core/day.js';
import { eraseCustomer } from '../accounts/erase.js';
import { settlePayment } from '../payments/attempts.js';
import { settleRefund } from '../refunds/begin-refund.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { renderMessage } from './render.js';
import { applyOutcome, MESSAGE_LEASE_MS, type PayerMessage } from './rules.js';

const DAY = 86_400_000;
const MINUTE = 60_000;
const EMAIL = 'mira.osei@example.com';
const CUSTOMER = { ClientUser: { EmailAddress: EMAIL } };
const FROM = 'Harborlight Water <bills@water.example>';

let service: OpenTestService;
let smtp: SmtpServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
  await smtp?.close();
  smtp = undefined;
});

interface Given {
  readonly unit?: Record<string, unknown>;
  readonly email?: Record<string, unknown> | null;
  readonly sms?: Record<string, unknown>;
  readonly database?: string;
}

async function start({
  unit = {},
  email = { from: FROM },
  sms,
  database = ':memory:',
}: Given = {}): Promise<void> {
  service = await startTestService({
    database,
    config: { ...(config(unit) as object), ...(email ? { email } : {}), ...(sms ? { sms } : {}) },
  });
}

const withSmtp = async (behavior: SmtpBehavior = {}, unit: Given['unit'] = {}): Promise<SmtpServer> => {
  smtp = await startSmtp(behavior);
  await start({ unit, email: { from: FROM, smtp: smtp.url } });
  return smtp;
};

type Message = NonNullable<ControlState['messages']>[number];
const messages = async (): Promise<Message[]> => (await service.control.state(SLUG)).messages ?? [];
const kinds = async (): Promise<string[]> => (await messages()).map(({ kind }) => kind);

/** Tells the service about the customer of account 1001. */
async function manageCustomer(addresses: object): Promise<void> {
  const names = { firstName: 'Mira', lastName: 'Osei' };
  const event = await asMerchant(service.fetch, '/integrations/events', {
    eventType: 'Accounts.ManageCustomer',
    businessUnitSlug: SLUG,
    payload: JSON.stringify({ accountNumber: '1001', subAccountNumber: '', ...names, ...addresses }),
  });
  expect(event.status).toBe(200);
}

async function payerWithAutopay(source: typeof CARD = CARD): Promise<void> {
  const page = await open(service.fetch, 'autopay', { ...CUSTOMER, SyncAccount: true });
  const { id: methodId } = await page.addMethod(source);
  const { enrollment } = await page.get<AutopayPageSession>();
  await page.post(enrollment ? 'autopay/method' : 'autopay/enroll', { methodId });
}

/** Moves the clock to the tenth of next month, because on a month's last day a card that expires in it has hours left. */
async function reachMidMonth(): Promise<Date> {
  const now = new Date(service.deps.clock.now());
  await advanceTo(service, Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10));
  return new Date(service.deps.clock.now());
}

/** Enrolls an account whose bill is due in some days, and resolves to that day. */
async function payerWithBill(days: number, source: typeof CARD = CARD): Promise<string> {
  const due = new Date(service.deps.clock.now() + days * DAY).toISOString().slice(0, 10);
  const bill = account('1001', { Balance: 7_700, DueDate: due });
  const page = await open(service.fetch, 'autopay', { ...CUSTOMER, SyncAccount: true, ...bill });
  const { id: methodId } = await page.addMethod(source);
  await page.post('autopay/enroll', { methodId });
  return due;
}

/** As a return does. */
async function blockMethods(): Promise<void> {
  await service.deps.store.transaction(async (tx) => {
    for (const method of await tx.methods.list(SLUG)) await tx.methods.update({ ...method, blocked: 'R03' });
  });
}

/** Schedules a payment for tomorrow, or later. */
async function schedule(source: NewSource, days: number): Promise<string> {
  const page = await open(service.fetch, 'schedule-payment', CUSTOMER);
  const { earliest } = await page.get<SchedulePageSession>();
  const date = new Date(Date.parse(earliest) + days * DAY).toISOString().slice(0, 10);
  const { id: methodId } = await page.addMethod(source);
  await page.schedule({ amount: 4_200, date, methodId });
  return date;
}

const FOLDER = mkdtempSync(join(tmpdir(), 'embedded-sessions-messages-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
let files = 0;

describeOn(startEngines(() => join(FOLDER, `${++files}.db`)))('on %s', (_, database) => {
  it('R-104 two processes send each message once', { tags: ['thorough'] }, async () => {
    smtp = await startSmtp();
    const settings = {
      database: await database(),
      config: { ...(config() as object), email: { from: FROM, smtp: smtp.url } },
    };
    service = await startTestService(settings);
    const other = await startTestService(settings);
    const pages = await Promise.all(
      Array.from({ length: 12 }, (_, place) =>
        open((place % 2 ? service : other).fetch, 'payment', CUSTOMER),
      ),
    );
    await Promise.all(pages.map((page) => page.pay()));
    await Promise.all([service.control.advance(0), other.control.advance(0)]);
    await expect.poll(async () => (await messages()).every(({ status }) => status === 'sent')).toBe(true);
    await other.close();
    const ids = smtp.received.map(({ data }) => /Message-ID: (.*)/.exec(data)?.[1]);
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(12);
  });

  it('R-104 sends a dead process’s message once its lease expires', async () => {
    await start({ database: await database() });
    const { store, clock } = service.deps;
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    const take = (systemNow: number) =>
      store.transaction((tx) =>
        tx.messages
          .ofChannel('email')
          .lease(SLUG, { now: clock.now(), systemNow, until: systemNow + MESSAGE_LEASE_MS }, 4),
      );
    const died = Date.now();
    const [taken] = await take(died);
    expect(taken, JSON.stringify(await store.read((tx) => tx.messages.list(SLUG)))).toBeDefined();
    expect(await take(died + MESSAGE_LEASE_MS - 1)).toEqual([]);
    const [again] = await take(died + MESSAGE_LEASE_MS);
    expect(again?.id).toBe(taken?.id);
    const update = (message: PayerMessage) =>
      store.transaction((tx) =>
        tx.messages.updateLeased(applyOutcome(message, 'sent', clock.now()), message.leasedUntil),
      );
    expect(await update(taken!)).toBe(false);
    expect(await update(again!)).toBe(true);
    expect((await messages()).map(({ status }) => status)).toEqual(['sent']);
  });

  it('R-104 a page sends at most three receipts, even concurrently', async () => {
    await start({ database: await database() });
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    await page.pay({ attemptId });
    await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
        page.post(`attempts/${attemptId}/email`, { emailAddress: `${name}@example.com` }),
      ),
    );
    expect(await messages()).toHaveLength(3);
  });

  it('R-104 every kind of message is written, sent and counted', async () => {
    await start({ database: await database() });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await schedule(CARD, 2);
    const due = new Date(service.deps.clock.now() + 5 * DAY).toISOString().slice(0, 10);
    const page = await open(service.fetch, 'autopay', {
      ...CUSTOMER,
      SyncAccount: true,
      ...account('2002', { Balance: 7_700, DueDate: due }),
    });
    const { id: methodId } = await page.addMethod(CARD);
    await page.post('autopay/enroll', { methodId });
    for (let days = 0; days < 12; days++) await service.control.advance(DAY / 2);
    expect((await kinds()).toSorted()).toEqual([
      'autopay-receipt',
      'autopay-reminder',
      'payment-reminder',
      'receipt',
      'receipt',
    ]);
    expect((await messages()).every(({ status }) => status === 'unsent')).toBe(true);
    await service.control.advance(100 * DAY);
    expect(await messages()).toEqual([]);
  });
});

describe('a receipt', () => {
  it('R-104 is sent to the customer once, with at most four digits of the card', async () => {
    await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    const attemptId = randomUUID();
    await page.pay({ attemptId });
    await page.pay({ attemptId });
    await service.control.advance(0);
    const [receipt, ...others] = await messages();
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      kind: 'receipt',
      channel: 'email',
      to: EMAIL,
      language: 'en',
      subject: 'Your payment to Harborlight Water',
      status: 'unsent',
    });
    expect(receipt?.text).toContain('$123.45');
    expect(receipt?.text).toContain('Visa ending in 4242');
    const [message] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    const { html } = renderMessage(
      { ...message!, facts: { ...message!.facts, brand: 'Visa\u202E' } },
      service.deps.config.businessUnits[0]!,
    );
    for (const shown of [receipt?.text ?? '', html])
      expect(shown).not.toMatch(/\d{4}[ -]?4242|424242|\u202E/);
  });

  it.each([
    ['a customer', CUSTOMER],
    ['a payer without a customer record', {}],
  ])('R-104 names the accounts that were paid, and so does a refund, to %s', async (_, payer) => {
    await start();
    const paid = [account('1001'), account('1001', { SubAccountNumber: '02' }), account('1001-02')];
    const Charges = [...paid, account('2002')].map((each) => ({ Amount: 100, ...each }));
    const page = await open(service.fetch, 'payment', { ...payer, Charges });
    const attemptId = randomUUID();
    const charges = paid.map((_, index) => ({ index, amount: 100 }));
    await page.pay({ attemptId, charges });
    const isCustomer = 'ClientUser' in payer;
    if (!isCustomer) await page.post(`attempts/${attemptId}/email`, { emailAddress: EMAIL });
    const [payment] = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier: payment?.id });
    const sent = await messages();
    expect(sent.map(({ kind }) => kind)).toEqual(isCustomer ? ['receipt', 'refund'] : ['receipt']);
    for (const { text } of sent)
      expect(text?.match(/^Account: .*$/gm)).toEqual([
        'Account: 1001',
        'Account: 1001-02',
        'Account: 1001-02',
      ]);
  });

  it('R-104 for a bank payment is sent while pending, and not again when it settles', async () => {
    await start();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay({ source: BANK });
    await service.control.advance(3 * DAY);
    const all = await messages();
    expect(all.map(({ kind }) => kind)).toEqual(['receipt']);
    expect(all[0]?.text).toContain('on its way');
  });

  it('R-60 R-104 of a bank account that AutoPay charges says that the payment is on its way', async () => {
    await start();
    const page = await open(service.fetch, 'autopay', CUSTOMER);
    const { id: methodId } = await page.addMethod(BANK);
    await page.post('autopay/enroll', { methodId });
    const charge = { AccountNumber: '1001', Amount: 500, ClientReference: 'bill-1' };
    await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    const [receipt] = await messages();
    expect(receipt).toMatchObject({ kind: 'autopay-receipt' });
    expect(receipt?.text).toContain('on its way');
  });

  it.each([
    ['a payer without a customer record', {}, {}],
    ['a business unit that turned receipts off', { email: { receipts: false } }, CUSTOMER],
  ])('R-104 is not sent to %s', async (_, unit, session) => {
    await start({ unit });
    await (await open(service.fetch, 'payment', session)).pay();
    await service.control.advance(0);
    expect(await messages()).toEqual([]);
  });

  it('R-104 is not sent to a customer who opted out', async () => {
    await start();
    const kindsOff = { email: false, sms: false };
    const page = await open(service.fetch, 'notifications', CUSTOMER);
    await page.post('notifications', {
      kinds: {
        'payment-confirmation': kindsOff,
        'payment-reminder': kindsOff,
        'bill-ready': kindsOff,
        autopay: kindsOff,
      },
    });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    expect(await messages()).toEqual([]);
  });

  it('R-104 is not written if e-mail is not configured, and takes no statement', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    await start({ email: null });
    prepare.mockClear();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.get();
    await page.pay();
    const statements = prepare.mock.calls.map(([sql]) => sql);
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter((sql) => /"messages"|"notifications"/.test(sql))).toEqual([]);
    expect(await messages()).toEqual([]);
  });

  it('R-104 keeps the order of digits in a right-to-left language, also in plain text', async () => {
    await start({ unit: { locale: 'ar' } });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    const [receipt] = await messages();
    // Isolated from the words around them.
    expect(receipt?.text).toMatch(/\u2068\d{5} \d{5}\u2069/);
    expect(receipt?.text).toContain('\u2068\u2068Visa\u2069 تنتهي بـ 4242\u2069');
  });

  it('R-70 R-104 uses only languages that the business unit offers', async () => {
    await start({ unit: { languages: ['en', 'es'], locale: 'es' } });
    const page = await open(service.fetch, 'payment', CUSTOMER);
    const { store } = service.deps;
    await store.transaction(async (tx) => {
      const customer = await tx.customers.get((await tx.sessions.get(page.id))?.customerId ?? '');
      if (customer) await tx.customers.update({ ...customer, language: 'ru' });
    });
    await page.pay();
    expect(await messages()).toMatchObject([{ subject: 'Su pago a Harborlight Water' }]);
  });

  it('R-104 uses the language of the last page', async () => {
    await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.send('pay', {
      method: 'POST',
      headers: { 'accept-language': 'es' },
      body: JSON.stringify({
        attemptId: randomUUID(),
        source: CARD,
        saveMethod: false,
        charges: [{ index: 0, amount: 12_345 }],
        fields: {},
      }),
    });
    expect(await messages()).toMatchObject([{ language: 'es', subject: 'Su pago a Harborlight Water' }]);
  });

  it('R-104 keeps the language of the payer when the merchant updates the customer', async () => {
    await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    const { store } = service.deps;
    await store.transaction(async (tx) => {
      const customer = await tx.customers.find(SLUG, EMAIL);
      if (customer) await tx.customers.update({ ...customer, language: 'es' });
    });
    await manageCustomer({ emailAddress: EMAIL });

    const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
    await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier: payment?.id });
    expect((await messages())[1]).toMatchObject({ kind: 'refund', language: 'es' });
  });
});

describe('a receipt for a payer without a customer record', () => {
  async function paid() {
    await start();
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    await page.pay({ attemptId });
    const send = (emailAddress: string) => page.post(`attempts/${attemptId}/email`, { emailAddress });
    return { page, send };
  }

  it('R-104 is sent to the address that they type, in the language of the page', async () => {
    const { page, send } = await paid();
    expect(await page.get()).toMatchObject({ emailsReceipts: true });
    await send(' ada@example.com ');
    expect(await messages()).toMatchObject([{ kind: 'receipt', to: 'ada@example.com' }]);
  });

  it.each([
    '',
    'ada',
    'a@b',
    'a@x.example,b@x.example',
    'a@x.example\r\nBcc: b@x.example',
    `${'a'.repeat(300)}@x.example`,
  ])('R-104 is not sent to %j', async (address) => {
    const { send } = await paid();
    expect(await refusal(send(address))).toMatchObject({ errors: [{ field: 'emailAddress' }] });
    expect(await messages()).toEqual([]);
  });

  it('R-105 is erased by address in any case, and only in its business unit', async () => {
    const { send } = await paid();
    await send('Ada@Example.com');
    await send('ada2@example.com');
    const { store, clock } = service.deps;
    const erase = (businessUnit: string) =>
      eraseCustomer(store, { businessUnit, emailAddress: 'aDA@example.com', now: clock.now() });
    await expect(erase('other')).rejects.toMatchObject({ code: 'customer_not_found' });
    expect(await erase(SLUG)).toEqual({ messages: 1 });
    expect((await messages()).map(({ to }) => to)).toEqual(['ada2@example.com']);
  });

  it('R-104 is sent at most three times', async () => {
    const { send } = await paid();
    for (const name of ['a', 'b', 'c']) await send(`${name}@example.com`);
    expect(await refusal(send('d@example.com'))).toMatchObject({ status: 409 });
  });

  it('R-104 is sent once to an address, however it is spelled', async () => {
    const { send } = await paid();
    for (const address of ['ada@example.com', 'ADA@example.com', 'Ada@Example.com']) await send(address);
    for (const domain of ['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example'])
      await send(`ada@${domain}`);
    expect((await messages()).map(({ to }) => to)).toEqual(['ada@example.com', 'ada@bücher.example']);
  });

  it('R-104 is sent again to an address only if its server refused it, and counts only then', async () => {
    const responses: { RCPT?: string } = { RCPT: '550 mailbox full' };
    const { received } = await withSmtp({ responses });
    const pay = async () => {
      const page = await open(service.fetch, 'payment');
      const attemptId = randomUUID();
      await page.pay({ attemptId });
      return async (emailAddress = EMAIL) => {
        await page.post(`attempts/${attemptId}/email`, { emailAddress });
        await service.control.advance(0);
      };
    };
    const send = await pay();
    await send(EMAIL.toUpperCase());
    await send();
    expect(await messages()).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
    delete responses.RCPT;
    for (let presses = 0; presses < 25; presses++) await send();
    await send(EMAIL.toUpperCase());
    expect(received).toMatchObject([{ to: EMAIL }]);
    await (
      await pay()
    )();
    expect(received).toHaveLength(2);
  });

  it('R-104 is sent to an address at most twenty times a day, even after refused requests', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await start();
    const unpaid = await open(service.fetch, 'payment');
    for (let count = 0; count < 21; count++) {
      const sent = unpaid.post('attempts/none/email', { emailAddress: 'ada@example.com' });
      expect(await refusal(sent)).toMatchObject({ status: 404 });
    }
    const outcomes: unknown[] = [];
    for (let payment = 0; payment < 30; payment++) {
      if (payment === 12) vi.advanceTimersByTime(24 * 60 * 60 * 1_000 - 1);
      const page = await open(service.fetch, 'payment');
      const attemptId = randomUUID();
      await page.pay({ attemptId });
      const emailAddress = ['ada@bücher.example', 'Ada@Bücher.example', 'ａda+x@xn--bcher-kva.example'][
        payment % 3
      ];
      const sent = page.post(`attempts/${attemptId}/email`, { emailAddress });
      outcomes.push(await sent.then(() => 'sent').catch(({ status }: { status: number }) => status));
    }
    vi.useRealTimers();
    expect(outcomes.slice(0, 12)).toEqual([...Array.from({ length: 10 }, () => 'sent'), 409, 409]);
    expect(outcomes.filter((outcome) => outcome === 'sent').length).toBeLessThanOrEqual(20);
    expect(outcomes.at(12)).toBe('sent');
  });

  it('R-104 is not offered if the customer already gets one, or if e-mail is off', async () => {
    await start();
    expect(await (await open(service.fetch, 'payment', CUSTOMER)).get()).not.toHaveProperty('emailsReceipts');
    await service.close();
    await start({ email: null });
    expect(await (await open(service.fetch, 'payment')).get()).not.toHaveProperty('emailsReceipts');
  });
});

describe('other messages', () => {
  it('R-104 a decline on the page sends nothing, and a returned payment explains what to do next', async () => {
    await start();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay({ source: DECLINED });
    expect(await messages()).toEqual([]);
    await (await open(service.fetch, 'payment', CUSTOMER)).pay({ source: RETURNED });
    await service.control.advance(3 * DAY);
    expect(await kinds()).toEqual(['receipt', 'payment-failed']);
    const [receipt, returned] = await messages();
    expect(returned?.text).toContain('another payment method');
    // Names the payment that was returned.
    const number = /^Receipt number: .+$/m;
    expect(returned?.text?.match(number)?.[0]).toBe(receipt?.text?.match(number)?.[0]);
    expect(receipt?.text).toMatch(number);
  });

  describe('R-104 of a payment that could not be sent, once its session has ended', () => {
    const statuses = async () => (await messages()).map(({ kind, status }) => [kind, status]);

    /** Its method is no longer accepted, and its page is open for some more minutes. */
    async function lost() {
      await withSmtp();
      const { processor, config: current } = service.deps;
      const page = await open(service.fetch, 'payment', CUSTOMER);
      vi.spyOn(processor!, 'charge').mockRejectedValueOnce(new Error('lost'));
      await page.pay();
      Object.assign(current.businessUnits[0]!, { paymentMethods: ['ACH'] });
      await service.control.advance(29 * MINUTE);
      expect((await service.control.state(SLUG)).payments).toMatchObject([{ reason: 'method_not_accepted' }]);
      expect(await statuses()).toEqual([['payment-failed', 'pending']]);
      return page;
    }

    it('says what to do next', async () => {
      await lost();
      await service.control.advance(MINUTE);
      expect(await statuses()).toEqual([['payment-failed', 'sent']]);
    });

    it('is not sent if the payer has paid there', async () => {
      const page = await lost();
      expect(await page.pay({ source: BANK })).toMatchObject({ status: 'pending' });
      await service.control.advance(MINUTE);
      expect(await statuses()).toEqual([
        ['payment-failed', 'unsent'],
        ['receipt', 'sent'],
      ]);
    });

    it('is sent about a second payment that is declined later', async () => {
      const page = await lost();
      const { processor } = service.deps;
      vi.spyOn(processor!, 'charge').mockRejectedValueOnce(new Error('lost'));
      const lookup = vi.spyOn(processor!, 'lookup').mockRejectedValue(new Error('down'));
      expect(await page.pay({ source: BANK })).toMatchObject({ status: 'processing' });
      await service.control.advance(MINUTE);
      expect(await statuses()).toEqual([['payment-failed', 'unsent']]);
      lookup.mockResolvedValue('declined');
      await service.control.advance(60 * MINUTE);
      expect(await statuses()).toEqual([
        ['payment-failed', 'unsent'],
        ['payment-failed', 'sent'],
      ]);
    });
  });

  it('R-104 a receipt is written once, even if the customer’s address changes before the bank payment settles', async () => {
    await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay({ source: BANK });
    const { store } = service.deps;
    await store.transaction(async (tx) => {
      const customer = await tx.customers.get((await tx.sessions.get(page.id))?.customerId ?? '');
      if (customer) await tx.customers.update({ ...customer, emailAddress: 'new@example.com' });
    });
    await service.control.advance(3 * DAY);
    expect(await messages()).toMatchObject([{ kind: 'receipt', to: 'new@example.com' }]);
  });

  it('R-104 is not sent if its payment was refunded in full', async () => {
    await start();
    const page = await open(service.fetch, 'payment');
    const attemptId = randomUUID();
    await page.pay({ attemptId });
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refund = { PaymentIdentifier: payment?.id };
    expect((await asMerchant(service.fetch, '/integrations/payments/refund', refund)).status).toBe(200);
    const sent = page.post(`attempts/${attemptId}/email`, { emailAddress: EMAIL });
    expect(await refusal(sent)).toMatchObject({ status: 404 });
  });

  it('R-104 each partial refund is announced', async () => {
    await start();
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refund = { PaymentIdentifier: payment?.id, Amount: 500 };
    expect((await asMerchant(service.fetch, '/integrations/payments/refund', refund)).status).toBe(200);
    expect(await kinds()).toEqual(['receipt', 'refund']);
    expect((await messages())[1]?.text).toContain('$5.00');
    await asMerchant(service.fetch, '/integrations/payments/refund', { ...refund, Amount: 700 });
    expect((await messages())[2]?.text).toContain('$7.00');
  });

  it('R-104 AutoPay announces successful and failed charges', async () => {
    await start();
    await payerWithAutopay();
    const charge = (ClientReference: string) =>
      asMerchant(service.fetch, '/integrations/autopay/charge', {
        AccountNumber: '1001',
        Amount: 100,
        ClientReference,
      });
    await charge('bill-1');
    expect(await kinds()).toEqual(['autopay-receipt']);
    await payerWithAutopay({ ...CARD, cardNumber: '4000000000009995' });
    await charge('bill-2');
    expect(await kinds()).toEqual(['autopay-receipt', 'autopay-failed']);
    const [receipt, failed] = await messages();
    expect(failed?.text).toContain('$1.00');
    expect(receipt?.text).toContain('Receipt number');
    expect(failed?.text).not.toContain('Receipt number');
  });

  it('R-104 a disputed card payment sends nothing, because the cardholder has the money back', async () => {
    await start({ unit: { email: { reminders: false } } });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await payerWithAutopay();
    const charge = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    await schedule(CARD, 1);
    await service.control.advance(3 * DAY);
    const receipts = await kinds();
    expect(receipts.toSorted()).toEqual(['autopay-receipt', 'receipt', 'receipt']);

    const { store, clock, newId, config: current } = service.deps;
    const context = { now: clock.now(), newId, config: current };
    for (const payment of await store.read((tx) => tx.attempts.list(SLUG)))
      expect(
        await store.transaction((tx) =>
          settlePayment(tx, payment, { outcome: 'returned', reason: 'fraudulent' }, context),
        ),
      ).toMatchObject({ status: 'returned' });
    expect(await kinds()).toEqual(receipts);
  });

  it('R-104 a card payment that is refused after it was accepted is announced, because it is unpaid', async () => {
    await start();
    vi.spyOn(service.deps.processor!, 'charge').mockResolvedValueOnce('pending');
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    const { store, clock, newId, config: current } = service.deps;
    const context = { now: clock.now(), newId, config: current };
    await store.transaction(async (tx) => {
      const [payment] = await tx.attempts.list(SLUG);
      return settlePayment(tx, payment!, { outcome: 'returned' }, context);
    });
    expect(await kinds()).toEqual(['receipt', 'payment-failed']);
  });

  it('R-104 a scheduled payment is announced once, after nine on the day before, and then confirmed', async () => {
    await start({ unit: { timeZone: 'America/New_York' } });
    await schedule(CARD, 2);
    await service.control.advance(DAY);
    expect(await kinds()).toEqual([]);
    for (let times = 0; times < 8; times++) await service.control.advance(DAY / 4);
    expect(await kinds()).toEqual(['payment-reminder', 'receipt']);
    const [reminder] = await messages();
    expect(reminder?.text).toContain('$42.00');
  });

  it.each([
    ['does not ask for a payment that AutoPay is charging', 2, 'unsent'],
    ['asks for a declined payment while another is being charged, not by AutoPay', 20, 'sent'],
  ])('R-104 %s', { tags: ['thorough'] }, async (_, dueIn, status) => {
    await withSmtp();
    const due = await payerWithBill(dueIn);
    const date = addDays(due, 2 - dueIn);
    const page = await open(service.fetch, 'schedule-payment', CUSTOMER);
    const { id: methodId } = await page.addMethod({ ...CARD, cardNumber: '4000000000009995' });
    await page.schedule({ amount: 4_200, date, methodId });
    if (dueIn !== 2) await page.schedule({ amount: 7_700, date, methodId });
    let answer: (outcome: 'succeeded') => void = () => undefined;
    const held = new Promise<'succeeded'>((resolve) => (answer = resolve));
    vi.spyOn(service.deps.processor!, 'charge').mockImplementation(async ({ amount }) =>
      amount === 7_700 ? held : 'declined',
    );
    const advanced = advanceTo(service, Date.parse(date) + 60_000);
    const failure = async () => (await messages()).find(({ kind }) => kind === 'payment-failed')?.status;
    await expect.poll(failure).toMatch(/sent/);
    expect(await failure()).toBe(status);
    answer('succeeded');
    await advanced;
    await expect.poll(kinds).toContain(dueIn === 2 ? 'autopay-receipt' : 'receipt');
  });

  it.each([
    ['all of the bill', 0, 7_700, '$77.00'],
    ['a part of the bill', 0, 4_000, '$77.00'],
    ['more than the bill', 0, 9_000, '$90.00'],
    ['an earlier day', -1, 4_000, '$37.00'],
  ])(
    'R-104 reminds of what AutoPay takes on the due date, with a scheduled charge for %s',
    async (_, days, Amount, amount) => {
      await start();
      const due = await payerWithBill(12);
      const request = {
        AccountNumber: '1001',
        Amount,
        ClientReference: 'bill-1',
        ChargeOn: addDays(due, days),
      };
      await asMerchant(service.fetch, '/integrations/autopay/charge', request);
      await advanceTo(service, `${addDays(due, -9)}T12:00Z`);
      expect(await messages()).toMatchObject([
        { kind: 'autopay-reminder', text: expect.stringContaining(amount) as string },
      ]);
    },
  );

  it('R-104 says nothing of a scheduled charge to a payer who has left AutoPay', async () => {
    await start();
    await payerWithAutopay();
    const ChargeOn = new Date(service.deps.clock.now() + 2 * DAY).toISOString().slice(0, 10);
    const request = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1', ChargeOn };
    await asMerchant(service.fetch, '/integrations/autopay/charge', request);
    await (await open(service.fetch, 'autopay', CUSTOMER)).post('autopay/unenroll');
    await service.control.advance(3 * DAY);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ status: 'declined' }]);
    expect(await kinds()).toEqual([]);
  });

  it('R-104 is not written for a scheduled payment whose card will have expired', async () => {
    await start();
    await schedule(CARD, 60);
    const wallet = await open(service.fetch, 'wallet', CUSTOMER);
    const [method] = (await wallet.get<WalletPageSession>()).savedMethods;
    const now = new Date(service.deps.clock.now()).toISOString();
    const source = { ...CARD, expiry: `${now.slice(5, 7)}/${now.slice(2, 4)}` };
    await wallet.post('methods', { requestId: randomUUID(), source, makeDefault: false, renews: method?.id });
    await service.control.advance(58 * DAY);
    for (let times = 0; times < 16; times++) await service.control.advance(DAY / 4);
    expect((await service.control.state(SLUG)).scheduledPayments).toMatchObject([{ status: 'failed' }]);
    expect(await kinds()).not.toContain('payment-reminder');
  });

  it.each([
    // 2027-03-14 and 2027-11-07 have 23 and 25 hours in New York.
    ['2027-03-14', '2027-03-13T14:00:00.000Z'],
    ['2027-03-15', '2027-03-14T13:00:00.000Z'],
    ['2027-11-07', '2027-11-06T13:00:00.000Z'],
    ['2027-11-08', '2027-11-07T14:00:00.000Z'],
  ])('R-95 R-104 a payment of %s is announced at nine in New York: %s', async (date, at) => {
    await start({ unit: { timeZone: 'America/New_York' } });
    await advanceTo(service, Date.parse(date) - 4 * DAY);
    const page = await open(service.fetch, 'schedule-payment', CUSTOMER);
    const { id: methodId } = await page.addMethod(CARD);
    await page.schedule({ amount: 4_200, date, methodId });
    await advanceTo(service, Date.parse(at) - 60_000);
    expect(await kinds()).toEqual([]);
    await advanceTo(service, at);
    expect(await kinds()).toEqual(['payment-reminder']);
    for (let times = 0; times < 4; times++) await service.control.advance(DAY / 2);
    expect(await kinds()).toEqual(['payment-reminder', 'receipt']);
  });

  it('R-104 announces the next AutoPay charge once per due date and enrolled customer', async () => {
    await start();
    // Reminders are only written by day.
    await service.control.advance((1.5 * DAY - (service.deps.clock.now() % DAY)) % DAY);
    await payerWithBill(20);
    await service.control.advance(5 * DAY);
    expect(await kinds()).toEqual([]);
    // Half days, because none is written before nine.
    for (let half = 0; half < 20; half++) await service.control.advance(DAY / 2);
    expect(await kinds()).toEqual(['autopay-reminder']);
    expect((await messages())[0]?.text).toContain('$77.00');

    const another = { ClientUser: { EmailAddress: 'bob@example.com' }, ...account('1001') };
    for (const user of [CUSTOMER, another]) {
      const page = await open(service.fetch, 'autopay', { ...account('1001'), ...user });
      if (user === CUSTOMER) await page.post('autopay/unenroll');
      else await page.post('autopay/enroll', { methodId: (await page.addMethod()).id });
    }
    for (let half = 0; half < 4; half++) await service.control.advance(DAY / 2);
    expect((await messages()).map(({ kind, to }) => [kind, to])).toEqual([
      ['autopay-reminder', EMAIL],
      ['autopay-reminder', 'bob@example.com'],
    ]);
  });

  it('R-104 announces a charge even if a hundred other accounts need no reminder', async () => {
    await start();
    await service.control.advance((1.5 * DAY - (service.deps.clock.now() % DAY)) % DAY);
    await payerWithBill(9);
    const { store, clock } = service.deps;
    const [enrolled] = await store.read((tx) => tx.autopay.list(SLUG));
    const earlier = new Date(clock.now() + 5 * DAY).toISOString().slice(0, 10);
    await store.transaction(async (tx) => {
      for (let n = 0; n < 100; n++) {
        const owesNothing = { id: `acc_0${n}`, accountNumber: `paid-${n}`, subAccountNumber: '', fields: {} };
        await tx.accounts.insert({ businessUnit: SLUG, ...owesNothing });
        await tx.autopay.insert({ ...enrolled!, accountId: owesNothing.id, dueDate: earlier });
      }
    });
    // A page has as many rows as it reads, even if none needs a message.
    const page = await store.read((tx) =>
      tx.messages.upcoming.expiringCards(SLUG, '01/99', { after: null, limit: 10 }),
    );
    expect(page.map(({ about }) => about)).toEqual(Array.from({ length: 10 }, () => undefined));
    await service.control.advance(DAY);
    expect(await kinds()).toEqual(['autopay-reminder']);
  });

  it('R-104 announces in the month of its expiry that an AutoPay card expires', async () => {
    await start();
    const now = await reachMidMonth();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15));
    const expiry = next.toISOString().replace(/^\d\d(\d\d)-(\d\d).*/, '$2/$1');
    const page = await open(service.fetch, 'autopay', { ...CUSTOMER, SyncAccount: true });
    const { id: methodId } = await page.addMethod({ ...CARD, expiry });
    await page.post('autopay/enroll', { methodId });
    await service.control.advance(DAY / 2);
    expect(await kinds()).toEqual([]);
    await service.control.advance(next.getTime() - service.deps.clock.now() + DAY / 2);
    await service.control.advance(DAY);
    expect(await kinds()).toEqual(['card-expiring']);
  });
});

/** Headers, plain text and HTML of a message on the wire. */
function partsOf(data: string): string[] {
  const [head = '', ...rest] = data.split('\n\n');
  const boundary = /boundary="(.*?)"/.exec(head)?.[1] ?? '';
  const parts = rest.join('\n\n').split(`--${boundary}`).slice(1, -1);
  return [head, ...parts.map((part) => decoded(part.slice(part.indexOf('\n\n'))))];
}

function decoded(quotedPrintable: string): string {
  const bytes = quotedPrintable
    .replaceAll('=\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

const headersOf = (head: string): string[] =>
  [...head.matchAll(/^([\w-]+):/gm)].map(([, name = '']) => name.toLowerCase());

describe('e-mail', () => {
  it('R-104 is sent over SMTP with text and HTML, and the same id on every attempt', async () => {
    const { received } = await withSmtp();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ to: EMAIL });
    const data = received[0]?.data ?? '';
    expect(data).toContain('From: Harborlight Water <bills@water.example>');
    expect(data).toMatch(/Message-ID: <[\w-]{43}@water\.example>/);
    expect(data).toContain('Content-Type: text/plain');
    expect(data).toContain('Content-Type: text/html');
    expect(data).not.toContain('List-Unsubscribe');
    expect(await messages()).toMatchObject([{ status: 'sent' }]);
  });

  it.each([
    'Water <b>&\r\nBcc: all@evil.example',
    'Water\nContent-Type: text/html\n\n<b>paid</b>',
    '"><img src=x> {{accent}} {{#rows}}<b>{{/rows}} $& $1',
    'a@evil.example, b@evil.example',
    'Pay\u202Eretaw\u2028',
    `${'Water '.repeat(30)}<b>`,
  ])('R-104 escapes merchant input in headers and markup: %j', async (hostile) => {
    smtp = await startSmtp();
    await start({ unit: { name: hostile }, email: { from: FROM, smtp: smtp.url } });
    const number = hostile.slice(0, 60);
    const page = await open(service.fetch, 'payment', { ...CUSTOMER, ...account(number) });
    await page.pay();
    await service.control.advance(0);
    const [mail] = smtp.received;
    expect(smtp.received).toHaveLength(1);
    const [head = '', plain = '', html = ''] = partsOf(mail?.data ?? '');
    expect(mail?.to).toBe(EMAIL);
    expect(headersOf(head).toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(head).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(html).not.toMatch(/<b>|<img|\u202e|\u2028/i);
    expect(plain).not.toMatch(/\u202e|\u2028/);
    expect(html).toContain('</html>');
  });

  it('R-104 is not retried if the server rejects the address, which the log omits', async () => {
    await withSmtp({ responses: { RCPT: `550 no such user ${EMAIL}` } });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    const [message] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(message).toMatchObject({ status: 'failed', attempts: 1, lastError: 'SMTP 550' });
  });

  it('R-104 is retried for a day while the server is down', async () => {
    await withSmtp({ responses: { RCPT: '451 later' } });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    expect(await messages()).toMatchObject([{ status: 'pending' }]);
    for (let times = 0; times < 9; times++) await service.control.advance(DAY / 8);
    const [message] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(message).toMatchObject({ status: 'failed', lastError: 'SMTP 451' });
    expect(message?.attempts).toBeGreaterThan(5);
  });

  it('R-104 is sent again with the same id after a lost confirmation', async () => {
    const { received } = await withSmtp({ losesAnswers: true });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    await service.control.advance(61_000);
    const ids = received.map(({ data }) => /Message-ID: (.*)/.exec(data)?.[1]);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a message that waits for the mail server', () => {
  const responses = { RCPT: '451 later' };
  const reachable = async (): Promise<void> => {
    responses.RCPT = '250 known';
    // The longest wait between two attempts.
    await service.control.advance(DAY / 6);
  };
  afterEach(() => void (responses.RCPT = '451 later'));
  /** Retries get rarer, so advance by at most a day. */
  const written = async (): Promise<void> => {
    while ((await kinds()).length === 0) await service.control.advance(DAY / 8);
  };

  it('R-104 is sent when the server accepts it, as after greylisting', async () => {
    const { received } = await withSmtp({ responses });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    expect(received).toEqual([]);
    await reachable();
    expect(received).toHaveLength(1);
  });

  it('R-104 is not sent if the customer has opted out since', async () => {
    const { received } = await withSmtp({ responses });
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    const page = await open(service.fetch, 'notifications', CUSTOMER);
    const off = { email: false, sms: false };
    await page.post('notifications', {
      kinds: { 'payment-confirmation': off, 'payment-reminder': off, 'bill-ready': off, autopay: off },
    });
    await reachable();
    expect(received).toEqual([]);
    const [message] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(message).toMatchObject({ status: 'unsent' });
  });

  it('R-104 says what was refunded since', async () => {
    const { received } = await withSmtp({ responses });
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    await service.control.advance(0);
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refund = { PaymentIdentifier: payment?.id, Amount: 500 };
    expect((await asMerchant(service.fetch, '/integrations/payments/refund', refund)).status).toBe(200);
    await reachable();
    const texts = received.map(({ data }) => partsOf(data)[1] ?? '');
    expect(texts.filter((text) => /^Refunded: .*\$5\.00 · \w+ \d+, \d{4}/m.test(text))).toHaveLength(1);
  });

  it('R-104 is not sent if it is the receipt of a payment that was refunded in full since', async () => {
    const { received } = await withSmtp({ responses });
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    await service.control.advance(0);
    const [payment] = await service.deps.store.read((tx) => tx.attempts.ofSession(page.id));
    const refund = { PaymentIdentifier: payment?.id };
    expect((await asMerchant(service.fetch, '/integrations/payments/refund', refund)).status).toBe(200);
    await reachable();
    expect(received.map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1])).toEqual([
      'Your refund from Harborlight Water',
    ]);
  });

  it('R-104 is not sent if it announces a refund that has failed since', async () => {
    const { received } = await withSmtp({ responses });
    const page = await open(service.fetch, 'payment', CUSTOMER);
    await page.pay();
    const { store, clock, newId, config: current } = service.deps;
    const [payment] = await store.read((tx) => tx.attempts.ofSession(page.id));
    const input = { PaymentIdentifier: payment?.id, Amount: 500 };
    await asMerchant(service.fetch, '/integrations/payments/refund', input);
    await service.control.advance(0);
    await store.transaction(async (tx) => {
      const [refund] = await tx.refunds.list(SLUG);
      const settling = { id: refund?.id ?? '', sessionId: page.id };
      return settleRefund(tx, settling, { outcome: 'failed' }, { now: clock.now(), newId, config: current });
    });
    await reachable();
    expect(received.map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1])).toEqual([
      'Your payment to Harborlight Water',
    ]);
  });

  const autopay = () => open(service.fetch, 'autopay', { ...CUSTOMER, ...account('1001') });

  it.each([
    ['was turned off', async () => (await autopay()).post('autopay/unenroll')],
    [
      'has a bill that was paid',
      async () => {
        const charge = { AccountNumber: '1001', Name: 'Ada' };
        const page = await open(service.fetch, 'payment', {
          Charges: [{ Amount: 7_700, ClientAccount: { ...charge, Balance: 7_700 } }],
        });
        await page.pay({ charges: [{ index: 0, amount: 7_700 }] });
      },
    ],
    [
      'has another due date',
      async () => {
        const later = new Date(service.deps.clock.now() + 40 * DAY).toISOString().slice(0, 10);
        const bill = account('1001', { Balance: 7_700, DueDate: later });
        await open(service.fetch, 'autopay', { ...CUSTOMER, SyncAccount: true, ...bill });
      },
    ],
    ['has a method that the bank has blocked', () => blockMethods()],
  ])('R-104 R-106 is not sent if it announces AutoPay that %s since', async (_, change) => {
    const { received } = await withSmtp({ responses });
    await payerWithBill(5);
    await written();
    expect(await kinds()).toEqual(['autopay-reminder']);
    await change();
    await reachable();
    const reminder = (await messages()).find(({ kind }) => kind === 'autopay-reminder');
    expect(reminder).toMatchObject({ status: 'unsent' });
    expect(received.filter(({ data }) => data.includes('List-Unsubscribe'))).toEqual([]);
  });

  describe('R-104 a message that a payment failed', () => {
    const DueDate = () => new Date(service.deps.clock.now() + 9 * DAY).toISOString().slice(0, 10);
    const session = (bill: Partial<ClientAccount>, amount = 4_200) => {
      const ClientAccount = { AccountNumber: '1001', Name: 'Ada', ...bill };
      return open(service.fetch, 'payment', { ...CUSTOMER, Charges: [{ Amount: amount, ClientAccount }] });
    };
    const pay = async (bill: Partial<ClientAccount>, amount = 4_200) => {
      await (await session(bill, amount)).pay({ charges: [{ index: 0, amount }] });
    };

    const autopay = async () => {
      const page = await open(service.fetch, 'autopay', {
        ...CUSTOMER,
        SyncAccount: true,
        ...account('1001', { Balance: 4_200, DueDate: DueDate() }),
      });
      await page.post('autopay/enroll', { methodId: (await page.addMethod(DECLINED)).id });
      await service.control.advance(9.1 * DAY);
    };
    const scheduled = async () => {
      await session({ Balance: 4_200, DueDate: DueDate() });
      await schedule(DECLINED, 1);
      await service.control.advance(2.1 * DAY);
    };
    const returned = (bill: Partial<ClientAccount>) => async () => {
      await (await session(bill)).pay({ source: RETURNED, charges: [{ index: 0, amount: 4_200 }] });
      await service.control.advance(3 * DAY);
    };
    const FAILURES = {
      AutoPay: autopay,
      'a scheduled payment': scheduled,
      'a bank payment': returned({ Balance: 4_200 }),
      'a deposit by bank': returned({ Balance: 0 }),
    };

    it.each<[keyof typeof FAILURES, string, boolean, () => Promise<unknown>]>([
      ['AutoPay', 'nothing', true, async () => undefined],
      ['AutoPay', 'a payment of the bill', false, () => pay({ Balance: 4_200, DueDate: DueDate() })],
      ['AutoPay', 'a payment without the balance', false, () => pay({})],
      ['AutoPay', 'a payment of a part', true, () => pay({ Balance: 4_200 }, 1_000)],
      ['a scheduled payment', 'nothing', true, async () => undefined],
      ['a scheduled payment', 'a payment of the bill', false, () => pay({})],
      ['a scheduled payment', 'a bill of nothing', false, () => session({ Balance: 0 })],
      ['a bank payment', 'nothing', true, async () => undefined],
      ['a bank payment', 'a payment of the bill', false, () => pay({})],
      ['a bank payment', 'a bill of nothing', false, () => session({ Balance: 0 })],
      ['a deposit by bank', 'nothing', true, async () => undefined],
      ['a deposit by bank', 'a payment of it', false, () => pay({})],
    ])('of %s, and then %s: sent %s', async (failure, _, isSent, since) => {
      await withSmtp({ responses });
      await FAILURES[failure]();
      const failed = async () => (await messages()).filter(({ kind }) => kind.endsWith('-failed'));
      expect(await failed()).toMatchObject([{ status: 'pending' }]);
      await since();
      await reachable();
      expect(await failed()).toMatchObject([{ status: isSent ? 'sent' : 'unsent' }]);
    });
  });

  it('R-104 R-106 announces the amount that AutoPay will charge when it is sent', async () => {
    const { received } = await withSmtp({ responses });
    const DueDate = await payerWithBill(5);
    await written();
    const ClientAccount = { AccountNumber: '1001', Name: 'Ada', Balance: 7_700, DueDate };
    const page = await open(service.fetch, 'payment', { Charges: [{ Amount: 7_000, ClientAccount }] });
    await page.pay({ charges: [{ index: 0, amount: 7_000 }] });
    await reachable();
    const reminder = (await messages()).find(({ kind }) => kind === 'autopay-reminder');
    expect(reminder).toMatchObject({ status: 'sent', text: expect.stringContaining('$7.00') });
    const [sent] = received.filter(({ data }) => data.includes('List-Unsubscribe'));
    expect(sent?.data).toContain('$7.00');
  });

  it('R-104 is not sent for a scheduled payment whose method the bank has blocked', async () => {
    await withSmtp({ responses });
    // Not tomorrow: in the evening, it would be charged before the server accepts the reminder.
    await schedule(CARD, 1);
    await written();
    await blockMethods();
    await reachable();
    const [message] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(message).toMatchObject({ kind: 'payment-reminder', status: 'unsent' });
  });

  it('R-104 is written again on the same day if a reload makes it true again', async () => {
    const { received } = await withSmtp({ responses });
    await schedule(CARD, 1);
    await written();
    const reload = (paymentMethods: ('ACH' | 'Credit Card')[]) => {
      const { config: current } = service.deps;
      const businessUnits = current.businessUnits.map((unit) => ({ ...unit, paymentMethods }));
      Object.assign(current, { businessUnits });
    };
    reload(['ACH']);
    await service.control.advance(61_000);
    expect(await messages()).toMatchObject([{ kind: 'payment-reminder', status: 'unsent' }]);
    reload(['ACH', 'Credit Card']);
    responses.RCPT = '250 known';
    await service.control.advance(61_000);
    expect(received).toHaveLength(1);
  });

  it('R-104 is not sent for an expiring card that AutoPay no longer uses', async () => {
    const { received } = await withSmtp({ responses });
    const expiry = (await reachMidMonth()).toISOString().replace(/^\d\d(\d\d)-(\d\d).*/, '$2/$1');
    await payerWithAutopay({ ...CARD, expiry });
    await written();
    expect(await kinds()).toEqual(['card-expiring']);
    await payerWithAutopay();
    await reachable();
    expect(received).toEqual([]);
    expect(await messages()).toMatchObject([{ kind: 'card-expiring', status: 'unsent' }]);
  });

  it('R-104 is sent to the customer’s current address', async () => {
    const { received } = await withSmtp({ responses });
    await (await open(service.fetch, 'payment', { ...CUSTOMER, ...account('1001') })).pay();
    await service.control.advance(0);
    await manageCustomer({ emailAddress: 'mira@example.net', originalEmailAddress: EMAIL });
    await reachable();
    expect(received.map(({ to }) => to)).toEqual(['mira@example.net']);
    // A reminder's link to end it works only for the address that is stored.
    expect(await messages()).toMatchObject([{ to: 'mira@example.net' }]);
  });

  it('R-104 is not sent for a payment that has been canceled since', async () => {
    const { received } = await withSmtp({ responses });
    await schedule(CARD, 1);
    while ((await kinds()).length === 0) await service.control.advance(DAY / 6);
    const [scheduled] = await service.deps.store.read((tx) => tx.schedules.list(SLUG));
    const page = await open(service.fetch, 'scheduled-payments', CUSTOMER);
    await page.post(`scheduled/${scheduled?.id}/cancel`);
    await reachable();
    expect(received).toEqual([]);
    expect(await messages()).toMatchObject([{ kind: 'payment-reminder', status: 'unsent' }]);
  });
});

describe('reminders', () => {
  async function remind(unit: Given['unit'] = {}): Promise<{ data: string; url: string }> {
    const { received } = await withSmtp({}, unit);
    await schedule(CARD, 1);
    while (received.length === 0) await service.control.advance(DAY / 6);
    const data = received[0]?.data ?? '';
    const url = /List-Unsubscribe: <(\S+)>/.exec(data.replace(/\n\s+/g, ' '))?.[1] ?? '';
    return { data, url };
  }

  it('R-104 end with one click, which changes nothing else', async () => {
    const { data, url } = await remind();
    expect((await messages())[0]?.text).toContain(url);
    expect(data).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const preferences = async () => {
      const page = await open(service.fetch, 'notifications', CUSTOMER);
      return (await page.get<{ preferences: unknown }>()).preferences;
    };
    const before = await preferences();
    // Like a mail scanner that follows links.
    for (const method of ['GET', 'HEAD']) await service.fetch(url, { method });
    expect(await preferences()).toEqual(before);
    const shown = await service.fetch(url);
    expect(await shown.text()).toContain('Stop these reminders');
    const kept = await service.fetch(`${url}?keep=`);
    expect(await kept.text()).toContain('You’ll keep getting these reminders');
    expect(await preferences()).toEqual(before);
    const ended = await service.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(ended.status).toBe(200);
    const page = await open(service.fetch, 'notifications', CUSTOMER);
    expect(await page.get()).toMatchObject({
      preferences: {
        kinds: { 'payment-reminder': { email: false }, 'payment-confirmation': { email: true } },
      },
    });
  });

  it('R-104 end with a link to the payer’s account, if the business unit has one', async () => {
    const account = 'https://water.example/account';
    const { url } = await remind({ links: { account } });
    const ended = await service.fetch(url, { method: 'POST' });
    expect(await ended.text()).toContain(`href="${account}"`);
  });

  it('R-104 of AutoPay end, but not its receipts and failures, and a webhook reports it', async () => {
    const receiver = await startReceiver();
    smtp = await startSmtp();
    await start({
      unit: { webhook: { url: receiver.url, secrets: SECRETS } },
      email: { from: FROM, smtp: smtp.url },
    });
    await payerWithBill(5);
    for (let hours = 0; hours < 24; hours += 3) await service.control.advance(DAY / 8);
    const [reminder] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(reminder?.kind).toBe('autopay-reminder');
    // Mail servers log the Message-ID.
    const messageId = /Message-ID: <(.*)@/.exec(smtp.received[0]?.data ?? '')?.[1] ?? '';
    expect(messageId).not.toBe('');
    expect((await service.fetch(`/unsubscribe/${messageId}`)).status).toBe(404);
    for (let click = 0; click < 2; click++)
      await service.fetch(`/unsubscribe/${reminder?.id}`, { method: 'POST' });

    await service.control.advance(5 * DAY);
    await payerWithAutopay({ ...CARD, cardNumber: '4000000000009995' });
    const charge = { AccountNumber: '1001', Amount: 100, ClientReference: 'bill-1' };
    await asMerchant(service.fetch, '/integrations/autopay/charge', charge);
    await payerWithBill(5);
    await service.control.advance(DAY);
    expect(await kinds()).toEqual(['autopay-reminder', 'autopay-receipt', 'autopay-failed']);

    const changed = receiver.received.filter(({ event }) => event.type === 'notifications.changed');
    expect(changed).toHaveLength(1);
    expect(changed[0]?.event.data).toMatchObject({
      Notifications: { Kinds: { autopay: { Email: true }, 'autopay-reminder': { Email: false } } },
    });
    await receiver.close();
  });

  it('R-104 cannot be ended with a link that was sent to a former address', async () => {
    const { url } = await remind();
    await manageCustomer({ emailAddress: 'mira@example.net', originalEmailAddress: EMAIL });
    for (const method of ['GET', 'POST']) expect((await service.fetch(url, { method })).status).toBe(404);
  });

  it('R-104 cannot be ended with a guessed link or that of a receipt', async () => {
    await start();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    const [receipt] = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    for (const id of [receipt?.id, 'eml_1', 'x'.repeat(500), '%00'])
      expect((await service.fetch(`/unsubscribe/${id}`, { method: 'POST' })).status).toBe(404);
  });
});

describe('SMS', () => {
  /** Turns on all e-mails and text messages of a customer. */
  const optIn = async (session: Record<string, unknown> = CUSTOMER, phoneNumber = '+12075550199') => {
    const page = await open(service.fetch, 'notifications', session);
    const on = { email: true, sms: true };
    const kinds = { 'payment-confirmation': on, 'payment-reminder': on, 'bill-ready': on, autopay: on };
    await page.post('notifications', { phoneNumber, kinds });
  };

  it('R-104 is signed and sent to the operator’s gateway for customers who opted in', async () => {
    const receiver = await startReceiver();
    await start({ email: null, sms: { url: receiver.url, secrets: SECRETS } });
    await optIn();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await service.control.advance(0);
    const [request] = receiver.received;
    const body = new Webhook(SECRETS[0] ?? '').verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(body).toEqual({
      to: '+12075550199',
      text: 'Thank you. Harborlight Water has received your payment of $123.45.',
      businessUnit: SLUG,
      messageId: expect.stringMatching(/^eml_/),
    });
    const [listed] = (await messages()).filter(({ channel }) => channel === 'sms');
    expect(listed?.text).toBe((body as { text: string }).text);
    await receiver.close();
  });

  it('R-91 R-104 is not sent to another number than the one it was written for', async () => {
    const receiver = await startReceiver();
    await start({ email: null, sms: { url: receiver.url, secrets: SECRETS } });
    await optIn();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    await optIn(CUSTOMER, '+12075550123');
    await service.control.advance(0);
    expect(receiver.received).toEqual([]);
    expect(await service.deps.store.read((tx) => tx.messages.list(SLUG))).toMatchObject([
      { status: 'unsent' },
    ]);
    await receiver.close();
  });

  it('R-104 waits while the config has no gateway, for example because another process has a newer one', async () => {
    const receiver = await startReceiver();
    await start({ sms: { url: receiver.url, secrets: SECRETS } });
    await optIn();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    const current = service.deps.config as { sms?: unknown };
    const { sms } = current;
    delete current.sms;
    await service.control.advance(60_000);
    const statuses = async () =>
      (await messages()).map(({ channel, status }) => `${channel} ${status}`).toSorted();
    expect(await statuses()).toEqual(['email unsent', 'sms pending']);
    current.sms = sms;
    await service.control.advance(60_000);
    expect(await statuses()).toEqual(['email unsent', 'sms sent']);
    await receiver.close();
  });

  it('R-103 are deleted after 90 days without a gateway', async () => {
    const receiver = await startReceiver();
    await start({ sms: { url: receiver.url, secrets: SECRETS } });
    await optIn();
    await (await open(service.fetch, 'payment', CUSTOMER)).pay();
    delete (service.deps.config as { sms?: unknown }).sms;
    await service.control.advance(89 * DAY);
    expect((await messages()).map(({ channel }) => channel)).toContain('sms');
    await service.control.advance(2 * DAY);
    expect((await messages()).map(({ channel }) => channel)).toEqual(['email']);
    await receiver.close();
  });

  it('R-91 R-104 are limited per number and per customer', async () => {
    await start({ email: null, sms: { url: 'http://127.0.0.1:9/', secrets: SECRETS } });
    const payerOf = async (emailAddress: string, phoneNumber: string) => {
      const session = { ClientUser: { EmailAddress: emailAddress } };
      await optIn(session, phoneNumber);
      return async (count: number) => {
        for (let n = 0; n < count; n++) await (await open(service.fetch, 'payment', session)).pay();
      };
    };
    const statuses = async () => {
      const written = await service.deps.store.read((tx) => tx.messages.list(SLUG));
      return written.map(({ status }) => status).join(' ');
    };
    const payMira = await payerOf(EMAIL, '+12075550199');
    await payMira(21);
    expect(await statuses()).toMatch(/^(pending ){20}unsent$/);
    const written = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(written.at(-1)).toMatchObject({ status: 'unsent' });
    // Another customer with the same number, and the same customer with another number.
    await (
      await payerOf('other@example.com', '+12075550199')
    )(1);
    await payerOf(EMAIL, '+12075550123');
    await payMira(1);
    expect(await statuses()).toMatch(/^(pending ){20}unsent unsent unsent$/);

    await service.control.advance(2 * DAY);
    await payMira(1);
    expect(await statuses()).toMatch(/ pending$/);
  });
});
