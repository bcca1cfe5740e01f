import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, SECRETS, SLUG } from '../../test/merchant.js';
import { ask } from '../../test/postgres.js';
import { asMerchant, BANK, open, query, refusal } from '../../test/payer.js';
import { DAY_MS, dayOf } from '../core/day.js';
import { defined } from '../core/defined.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import type { AutopayPageSession } from '../shared/page.js';
import { apply, eraseAttempts, eraseMethods } from './erase-rows.js';
import { eraseCustomer } from './erase.js';
import { overwrite } from '../cli/customers.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { removePersonalData } from './rules/person.js';
import { commandLine } from '../cli/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-erase-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const OLD = 'zelda.oldaddress@example.com';
const NEW = 'Zelda.Newaddress@example.com';
const PERSON = /zelda|quixley|5559876|elmgrove|secretnote|TestBrowser/i;

const account = {
  SyncAccount: true,
  ClientAccount: {
    AccountNumber: '7001',
    Name: 'Zelda Quixley',
    PhoneNumber: '2075559876',
    Note: 'secretnote',
    Address: { StreetAddress: '12 Elmgrove' },
    Balance: 100,
  },
};
const user = (EmailAddress: string) => ({
  ClientUser: { EmailAddress, FirstName: 'Zelda', LastName: 'Quixley' },
});

const nextCustomer = {
  ...user('bob@example.com'),
  SyncAccount: true,
  ClientAccount: { AccountNumber: '7001', Name: 'Bob', Balance: 7_000 },
};

const receipt = { kind: 'receipt', channel: 'email', language: 'en', facts: {}, status: 'sent' } as const;

async function erase(database: string, email: string, ...more: string[]): Promise<string> {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => ((output += String(part)), true));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await commandLine([
    'customers',
    'erase',
    '--business-unit',
    SLUG,
    '--email',
    email,
    '--database',
    database,
    ...more,
  ]);
  vi.restoreAllMocks();
  return output;
}

/** Erases the customer, unless that takes more writes than this. */
function interruptedAfter(maxWrites: number, { deps: { store, clock } }: OpenTestService) {
  let writes = 0;
  const transaction: typeof store.transaction = (work, options) => {
    if (++writes > maxWrites) throw new Error('interrupted');
    return store.transaction(work, options);
  };
  const erasure = { businessUnit: SLUG, emailAddress: NEW, now: clock.now() };
  return eraseCustomer({ ...store, transaction }, erasure);
}

/**
 * Erases the customer, and does the work after the last pass has read which accounts have no other customer. Resolves to the
 * numbers of accounts that were kept for other customers.
 */
async function eraseWhile(
  { deps: { store, clock } }: OpenTestService,
  work: () => Promise<unknown>,
): Promise<string[]> {
  let passes = 0;
  const shared: string[] = [];
  let working: Promise<unknown> | undefined;
  const transaction: typeof store.transaction = async (step, options) => {
    if (passes === 2) working ??= work();
    await working;
    return store.transaction(step, options);
  };
  await eraseCustomer(
    { ...store, transaction },
    {
      businessUnit: SLUG,
      emailAddress: NEW,
      now: clock.now(),
      onProgress: (table) => void (passes += table === 'sessions' ? 1 : 0),
      onShared: (accountNumbers) => shared.push(...accountNumbers),
    },
  );
  expect(working).toBeDefined();
  return shared;
}

function manage(
  { fetch }: OpenTestService,
  originalEmailAddress: string | undefined,
  emailAddress: string,
  more: Record<string, string> = {},
): Promise<Response> {
  return asMerchant(fetch, '/integrations/events', {
    businessUnitSlug: SLUG,
    eventType: 'Accounts.ManageCustomer',
    payload: JSON.stringify({
      accountNumber: '7001',
      subAccountNumber: '',
      firstName: 'Zelda',
      lastName: 'Quixley',
      emailAddress,
      originalEmailAddress,
      ...more,
    }),
  });
}

/** Changes a customer's address. */
async function move(
  service: OpenTestService,
  from: string,
  emailAddress: string,
  more: Record<string, string> = {},
): Promise<void> {
  expect((await manage(service, from, emailAddress, more)).status).toBe(200);
}

/** A customer who paid by bank account and card, enrolled, scheduled, and changed the address. */
async function fill(service: OpenTestService): Promise<string> {
  const { fetch } = service;
  const paying = await open(fetch, 'payment', {
    ...user(OLD),
    CustomMeta: { who: 'Zelda' },
    SuccessUrl: 'https://water.example/paid?by=zelda',
    ReturnUrl: 'https://water.example/?by=zelda',
    Charges: [{ Amount: 4_200, Description: 'Water', ClientAccount: account.ClientAccount }],
  });
  await paying.pay({ source: { ...BANK, holder: 'Zelda Quixley' }, charges: [{ index: 0, amount: 4_200 }] });
  const autopay = await open(fetch, 'autopay', { ...user(OLD), ...account });
  const { id: methodId } = await autopay.addMethod({ ...BANK, holder: 'Zelda Quixley' });
  await autopay.post('autopay/enroll', { methodId });
  await autopay.post('autopay/unenroll');
  await autopay.post('autopay/enroll', { methodId });
  const notifications = await open(fetch, 'notifications', user(OLD));
  await notifications.get();
  await move(service, OLD, NEW);
  return paying.id;
}

const newFile = (): string => join(folder, `${randomUUID()}.db`);

describeOn(startEngines(newFile))('R-105 customers erase on %s', (name, newDatabase) => {
  const start = (database: string, processor?: PaymentProcessor): Promise<OpenTestService> =>
    startTestService({
      database,
      ...defined({ processor }),
      config: config({ webhook: { url: 'http://127.0.0.1:9/', secrets: SECRETS } }),
    });

  it('removes personal data and keeps accounting records', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const sessionId = await fill(service);
    const ledger = () =>
      service.deps.store.read((tx) =>
        tx.ledger.page({ businessUnit: SLUG, from: '2000-01-01', to: '2100-01-01', limit: 100 }),
      );
    const before = await ledger();
    await service.control.advance(1_000);

    expect(await erase(database, NEW, '--dry-run')).toMatch(
      /^autopay: 1\nauthorizations: \d+\n.*outbox: \d+\n.*attempts: 1\nsessions: 3\n.*Nothing was changed\.\n$/s,
    );
    expect((await service.control.state(SLUG)).customers).toMatchObject([{ EmailAddress: NEW }]);

    expect(await erase(database, NEW)).toMatch(
      /^autopay: 1\nauthorizations: \d+$.*^accounts: 1$.*^customers: 1\nErased\./ms,
    );
    const state = await service.control.state(SLUG);
    expect(JSON.stringify(state)).not.toMatch(PERSON);
    expect(state.payments).toMatchObject([{ amount: 4_200, status: 'pending', last4: '6789' }]);
    expect(state.autopay).toEqual([]);
    expect(await query(service.fetch, sessionId)).toMatchObject({ Payments: [{ Amount: 4_200 }] });
    expect(await ledger()).toEqual(before);

    await expect(erase(database, NEW)).rejects.toMatchObject({ code: 'customer_not_found' });
    await service.control.advance(3 * 86_400_000);
    expect((await service.control.state(SLUG)).payments).toMatchObject([{ status: 'succeeded' }]);
    const messages = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
    expect(messages.map(({ type }) => type)).toContain('payment.succeeded');
    expect(messages.filter(({ body }) => body.includes('"EmailAddress"'))).toEqual([]);
    await service.close();
  });

  it('removes personal data from payments without a customer if nobody else has the account', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const { fetch } = service;
    const of = (AccountNumber: string) => ({
      Charges: [{ Amount: 100, ClientAccount: { ...account.ClientAccount, AccountNumber } }],
    });
    await open(fetch, 'autopay', { ...user(NEW), ...account });
    const paid = await open(fetch, 'payment', of('7001'));
    await paid.pay({ source: { ...BANK, holder: 'Zelda Quixley' }, charges: [{ index: 0, amount: 100 }] });
    const waiting = await open(fetch, 'payment', {
      ...of('7001'),
      Channel: 'POS',
      PosUser: 'agent@harborlight.example',
    });
    const other = await open(fetch, 'payment', of('70012'));

    await erase(database, NEW);
    const requests = await service.deps.store.read(async (tx) =>
      Promise.all(
        [paid, waiting, other].map(async ({ id }) => JSON.stringify((await tx.sessions.get(id))?.request)),
      ),
    );
    expect(requests.map((request) => PERSON.test(request))).toEqual([false, false, true]);
    const attempts = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    expect(JSON.stringify(attempts)).not.toMatch(PERSON);
    expect((await refusal(waiting.get())).status).toBe(410);
    await service.close();
  });

  it('removes the processor’s text, which is never logged, and keeps its codes', async () => {
    const database = await newDatabase();
    const reasons = ['R01', 'Zelda Quixley refused'];
    const service = await start(database, {
      tokenize: async () => ({ token: randomUUID(), last4: '4242' }),
      charge: async () => {
        const reason = reasons.shift();
        return reason === undefined ? 'succeeded' : { outcome: 'declined', reason };
      },
      lookup: async () => 'succeeded',
      refund: async () => ({ outcome: 'failed', reason: 'Zelda Quixley moved' }),
      forget: async () => {
        throw new Error('Zelda Quixley is unknown');
      },
    });
    const logged = (['info', 'warn', 'error'] as const).map((level) => vi.spyOn(service.deps.log, level));
    const paying = await open(service.fetch, 'payment', user(NEW));
    for (let nth = 0; nth < 3; nth++) await paying.pay();
    const paid = await service.deps.store.read((tx) => tx.attempts.list(SLUG));
    const PaymentIdentifier = paid.find(({ status }) => status === 'succeeded')?.id;
    const input = { PaymentIdentifier };
    await asMerchant(service.fetch, '/integrations/payments/refund', input);
    await service.control.advance(1_000);
    const lines = logged.flatMap(({ mock }) => mock.calls);
    expect(JSON.stringify(lines)).toMatch(/"codes":\["R01"\].*Refund outcome.*"job":"forget"/s);
    expect(JSON.stringify(lines)).not.toMatch(PERSON);

    await erase(database, NEW);
    const [payments, refunds, bodies] = await service.deps.store.read((tx) =>
      Promise.all([tx.attempts.list(SLUG), tx.refunds.list(SLUG), tx.outbox.list(SLUG)]),
    );
    expect(payments.map(({ reason }) => reason)).toEqual(['R01', undefined, undefined]);
    expect(bodies.map(({ type }) => type)).toContain('refund.failed');
    expect(JSON.stringify([payments, refunds, bodies])).not.toMatch(PERSON);
    await service.close();
  });

  it('keeps the messages of other customers and business units', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const wallet = async (email: string): Promise<void> => {
      await (await open(service.fetch, 'wallet', user(email))).addMethod();
    };
    await wallet('zelda_q@example.com');
    await wallet('zeldaxq@example.com');
    const [message] = await service.deps.store.read((tx) => tx.outbox.list(SLUG));
    const { sessionId: _, ...about } = message!;
    const foreign = {
      ...about,
      id: 'msg_foreign',
      businessUnit: 'foreign',
    };
    await service.deps.store.transaction((tx) => tx.outbox.insert(foreign));

    await erase(database, 'zelda_q@example.com');
    const left = await service.deps.store.read(async (tx) => [
      ...(await tx.outbox.list(SLUG)),
      ...(await tx.outbox.list('foreign')),
    ]);
    const customers = left.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect(customers.map((data) => 'Customer' in data)).toEqual([false, true, true]);
    await service.close();
  });

  it('deletes receipts sent to any of the addresses, in other spellings', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'wallet', user('zelda@größe.example'));
    await move(service, 'zelda@größe.example', NEW);
    await open(service.fetch, 'wallet', user('ZELDA@ÄRGER.example'));
    const now = service.deps.clock.now();
    const at = { attempts: 0, createdAt: now, dueAt: now, leasedUntil: 0 };
    await service.deps.store.transaction(async (tx) => {
      for (const recipient of [
        'Zelda@größe.example',
        'zelda@GRÖSSE.example',
        'zelda@ÄRGER.Example',
        'zelda@xn--rger-koa.example',
        'zelda+water@größe.example',
        NEW.toLowerCase(),
      ])
        await tx.messages.insert({
          ...receipt,
          ...at,
          id: recipient,
          about: recipient,
          businessUnit: SLUG,
          recipient,
        });
    });
    for (const address of [NEW, 'Zelda@ÄRGER.example'])
      expect(await erase(database, address)).not.toContain('No customer has this');
    const left = await service.deps.store.read((tx) => tx.messages.list(SLUG));
    expect(left.map(({ recipient }) => recipient)).toEqual(['zelda@GRÖSSE.example']);
    expect(await erase(database, 'zelda@GRÖSSE.example')).toContain('No customer has this');
    await service.close();
  });

  it('keeps webhooks of a customer who has the former address of another', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'wallet', user(OLD));
    await move(service, OLD, NEW);
    const heir = await open(service.fetch, 'payment', {
      ClientUser: { EmailAddress: OLD },
      CustomMeta: { order: 'B-77' },
      Charges: [{ Amount: 100, ClientAccount: { AccountNumber: '2', Name: 'Bob' } }],
    });
    await heir.pay({ charges: [{ index: 0, amount: 100 }] });
    const { store } = service.deps;
    const kept = () =>
      store.read(async (tx) => (await tx.outbox.list(SLUG)).filter(({ sessionId }) => sessionId === heir.id));
    const before = await kept();
    expect(JSON.stringify(before)).toContain('B-77');
    await erase(database, NEW);
    expect(await kept()).toEqual(before);
    await service.close();
  });

  it('continues an interrupted erasure although somebody else has the address meanwhile', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    await expect(interruptedAfter(1, service)).rejects.toThrow('interrupted');
    await open(service.fetch, 'wallet', { ClientUser: { EmailAddress: NEW, FirstName: 'Bob' } });
    expect(await erase(database, NEW)).toMatch(/meanwhile and was not erased[^]+Erased/);
    expect((await service.control.state(SLUG)).customers).toMatchObject([
      { EmailAddress: '' },
      { FirstName: 'Bob' },
    ]);
    await service.close();
  });

  it('continues an interrupted erasure although somebody else had the address meanwhile', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    await expect(interruptedAfter(1, service)).rejects.toThrow('interrupted');
    const next = { ...account, ClientAccount: { ...account.ClientAccount, AccountNumber: '7002' } };
    await open(service.fetch, 'autopay', { ...user(NEW), ...next });
    await move(service, NEW, OLD, { accountNumber: '7002', firstName: 'Bob', lastName: 'Next' });
    expect(await erase(database, NEW)).toContain('Erased');
    expect((await service.control.state(SLUG)).customers).toMatchObject([
      { EmailAddress: '' },
      { EmailAddress: OLD },
    ]);
    await service.close();
  });

  it('continues after an interruption at any write', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await fill(service);
    await service.control.advance(1_000);
    let interruptions = 0;
    while (
      // The first write is the same each time.
      await interruptedAfter(2, service).then(
        () => false,
        (error: Error) => error.message === 'interrupted',
      )
    )
      interruptions += 1;
    expect(interruptions).toBeGreaterThan(5);
    expect(JSON.stringify(await service.control.state(SLUG))).not.toMatch(PERSON);
    await expect(interruptedAfter(2, service)).rejects.toMatchObject({ code: 'customer_not_found' });
    await service.close();
  });

  it('changes nothing while a payment is in flight', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const paid = await fill(service);
    const { store } = service.deps;
    const [attempt] = await store.read((tx) => tx.attempts.ofSession(paid));
    await store.transaction((tx) => tx.attempts.update({ ...attempt!, status: 'processing' }));
    const before = await service.control.state(SLUG);
    await expect(erase(database, NEW)).rejects.toMatchObject({ code: 'payment_in_flight' });
    expect(await service.control.state(SLUG)).toEqual(before);
    await service.close();
  });

  it('is finished by another run if a payment begins in the meantime', async () => {
    const database = await newDatabase();
    let settle: (outcome: 'succeeded') => void = () => undefined;
    let charged = (): void => undefined;
    const charging = new Promise<void>((resolve) => (charged = resolve));
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok_1', last4: '4242' }),
      charge: () => (charged(), new Promise((resolve) => (settle = resolve))),
      lookup: async () => 'never_seen',
      forget: async () => undefined,
    };
    const service = await start(database, processor);
    const page = await open(service.fetch, 'payment', {
      ...user(NEW),
      Charges: [{ Amount: 100, ClientAccount: account.ClientAccount }],
    });
    const { store, clock } = service.deps;
    let paying: Promise<unknown> | undefined;
    const transaction: typeof store.transaction = async (work, options) => {
      // The first search has found no payment.
      paying ??= page.pay({ charges: [{ index: 0, amount: 100 }] });
      await charging;
      return store.transaction(work, options);
    };
    const erasure = { businessUnit: SLUG, emailAddress: NEW, now: clock.now() };
    const erasing = eraseCustomer({ ...store, transaction }, erasure);
    await expect(erasing).rejects.toMatchObject({ code: 'payment_in_flight' });
    await expect(erase(database, NEW)).rejects.toMatchObject({ code: 'payment_in_flight' });
    settle('succeeded');
    await paying;
    await erase(database, NEW);
    const state = await service.control.state(SLUG);
    expect(state.payments).toMatchObject([{ status: 'succeeded' }]);
    expect(JSON.stringify(state)).not.toMatch(PERSON);
    await service.close();
  });

  it('lets no page save a method, even if the command’s clock is ahead', async () => {
    const service = await start(await newDatabase());
    const page = await open(service.fetch, 'wallet', user(NEW));
    const { store, clock } = service.deps;
    await eraseCustomer(store, { businessUnit: SLUG, emailAddress: NEW, now: clock.now() + 3_000 });
    expect(await refusal(page.addMethod())).toMatchObject({ status: 410 });
    expect(JSON.stringify(await service.control.state(SLUG))).not.toMatch(PERSON);
    await service.close();
  });

  it.each([1, 2])(
    'R-73 ends AutoPay and schedules first, so that an interruption after write %i charges nobody without a mandate',
    async (writes) => {
      const service = await start(await newDatabase());
      const of = { ...user(NEW), ...account };
      const page = await open(service.fetch, 'autopay', of);
      const { id: methodId } = await page.addMethod(BANK);
      await page.post('autopay/enroll', { methodId });
      const schedules = await open(service.fetch, 'schedule-payment', of);
      const date = dayOf(service.deps.clock.now() + DAY_MS);
      await schedules.post('schedule', { requestId: 'request-1', amount: 100, date, methodId });
      await expect(interruptedAfter(writes, service)).rejects.toThrow('interrupted');
      const { autopay, scheduledPayments, authorizations, customers } = await service.control.state(SLUG);
      expect(autopay).toEqual([]);
      expect(scheduledPayments).toMatchObject([{ status: writes === 1 ? 'scheduled' : 'canceled' }]);
      const texts = authorizations?.map(({ text }) => text !== '');
      expect(texts).toEqual([false, writes === 1]);
      expect(customers).toMatchObject([{ EmailAddress: NEW }]);
      await service.close();
    },
  );

  it('R-91 lets others write between short transactions, and a dry run writes nothing', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const pages: { id: string }[] = [];
    for (let count = 0; count < 12; count++)
      pages.push(
        await open(service.fetch, 'payment', {
          ...user(NEW),
          Charges: [{ Amount: 100, Description: 'é'.repeat(110_000) }],
        }),
      );
    const { store, clock } = service.deps;
    const personal = () =>
      store.read(async (tx) => {
        const requests = await Promise.all(pages.map(({ id }) => tx.sessions.requestOf(id)));
        return requests.filter((request) => PERSON.test(request)).length;
      });
    let writes = 0;
    const left: number[] = [];
    const gaps: { tookMs: number; pauseMs: number }[] = [];
    let last: { tookMs: number; endedAt: number } | undefined;
    const transaction: typeof store.transaction = async (work, options) => {
      writes += 1;
      const startedAt = performance.now();
      if (last) gaps.push({ tookMs: last.tookMs, pauseMs: startedAt - last.endedAt });
      const result = await store.transaction(work, options);
      last = { tookMs: performance.now() - startedAt, endedAt: performance.now() };
      left.push(await personal());
      return result;
    };
    const erasure = { businessUnit: SLUG, emailAddress: NEW, now: clock.now() };
    const planned = await eraseCustomer({ ...store, transaction }, { ...erasure, isDryRun: true });
    expect(writes).toBe(0);
    expect(await eraseCustomer({ ...store, transaction }, erasure)).toEqual(planned);
    // The first transaction renames the customer, and the last one, too.
    expect(left).toEqual([12, 2, 0, 0]);
    for (const { tookMs, pauseMs } of gaps) expect(pauseMs).toBeGreaterThan(tookMs - 2);
    await service.close();
  });

  it('finishes an interrupted erasure without erasing the customer who has the address now', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await fill(service);
    const addresses = async () =>
      (await service.control.state(SLUG)).customers.map(({ EmailAddress }) => EmailAddress);
    while ((await addresses()).includes(NEW))
      await expect(interruptedAfter(1, service)).rejects.toThrow('interrupted');
    await open(service.fetch, 'autopay', {
      ...nextCustomer,
      ClientAccount: { ...nextCustomer.ClientAccount, AccountNumber: '7002' },
    });
    await move(service, 'bob@example.com', NEW, {
      accountNumber: '7002',
      firstName: 'Bob',
      lastName: 'Next',
    });

    expect(await erase(database, NEW)).toContain('Erased');
    const state = await service.control.state(SLUG);
    expect(state.customers).toMatchObject([
      { EmailAddress: '' },
      { EmailAddress: NEW, FirstName: 'Bob', LastName: 'Next' },
    ]);
    expect(state.paymentMethods).toEqual([]);
    await service.close();
  });

  it('keeps a customer erased that another process erases at the same time', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const { store, clock } = service.deps;
    await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    const erasure = { businessUnit: SLUG, emailAddress: NEW, now: clock.now() };
    let other: Promise<unknown> | undefined;
    const transaction: typeof store.transaction = async (work, options) => {
      await (other ??= eraseCustomer(store, erasure));
      return store.transaction(work, options);
    };
    expect(await eraseCustomer({ ...store, transaction }, erasure)).toEqual({ customers: 1 });
    await open(service.fetch, 'autopay', user(NEW));
    expect(await eraseCustomer(store, erasure)).toMatchObject({ customers: 1 });
    await service.close();
  });

  it('changes a method and a payment once, even if a job postpones their deletion at the processor', async () => {
    const service = await start(await newDatabase());
    const page = await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    const { id: methodId } = await page.addMethod();
    const payment = await open(service.fetch, 'payment', user(NEW));
    await payment.pay();
    const { Payments } = await query<{ Payments: [{ Id: string }] }>(service.fetch, payment.id);
    const paymentId = Payments[0].Id;
    const erased = (now: number) =>
      service.deps.store.transaction((tx) =>
        tx.erasing.run(async (tables) => {
          const changes = [
            ...(await eraseMethods(tables, [methodId], now)),
            ...(await eraseAttempts(tables, [paymentId], now)),
          ];
          await apply(tables, changes);
          return changes.map(({ table }) => table);
        }),
      );
    expect(await erased(2_000)).toEqual(['methods', 'attempts']);
    expect(await erased(1_000)).toEqual([]);
    await service.close();
  });

  it.each([false, true])(
    'R-93 blocks a bank account that is returned afterwards; saved: %s',

    async (save) => {
      const database = await newDatabase();
      const service = await start(database);
      const source = { ...BANK, holder: 'Zelda Quixley', accountNumber: '000222222227' };
      const page = await open(service.fetch, 'payment', user(NEW));
      await page.pay({ source, saveMethod: save });
      const { Payments } = await query<{ Payments: [{ Id: string }] }>(service.fetch, page.id);
      await service.control.advance(3 * DAY_MS);
      await erase(database, NEW);
      await service.control.advance(11 * DAY_MS);
      expect(await query(service.fetch, page.id)).toMatchObject({ Payments: [{ Reason: 'R10' }] });

      const again = await open(service.fetch, 'payment', user('someone@example.com'));
      expect(await refusal(again.pay({ source }))).toMatchObject({ errors: [{ reason: 'method_blocked' }] });
      await service.control.advance(DAY_MS);
      const attempt = await service.deps.store.read((tx) => tx.attempts.get(Payments[0].Id));
      expect(attempt?.source).toMatchObject({ token: '', holder: '' });
      expect(attempt?.source).not.toHaveProperty('fingerprint');
      await service.close();
    },
  );

  it('keeps an account that gets another customer in the meantime', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    const shared = await eraseWhile(service, () => open(service.fetch, 'autopay', nextCustomer));
    expect(shared).toEqual(['7001']);
    expect((await service.control.state(SLUG)).accounts).toMatchObject([{ Name: 'Bob', Balance: 7_000 }]);
    await service.close();
  });

  it('R-105 erases an account whose customers are erased at the same time', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const { store, clock } = service.deps;
    await open(service.fetch, 'autopay', { ...user(NEW), ...account });
    await open(service.fetch, 'autopay', { ...user('zelda.other@example.com'), ...account });
    const { ClientAccount } = account;
    const pos = await open(service.fetch, 'payment', {
      Channel: 'POS',
      PosUser: 'agent@harborlight.example',
      Charges: [{ Amount: 100, ClientAccount }],
    });
    const other = { businessUnit: SLUG, emailAddress: 'zelda.other@example.com', now: clock.now() };
    await eraseWhile(service, () => eraseCustomer(store, other));
    expect(await store.read((tx) => tx.sessions.requestOf(pos.id))).not.toMatch(PERSON);
    expect((await service.control.state(SLUG)).accounts).toEqual([
      { AccountNumber: '7001', SubAccountNumber: '', customers: [] },
    ]);
    await service.close();
  });

  it('R-106 keeps what was paid of a bill, so that AutoPay charges the rest to the next customer', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const DueDate = new Date(service.deps.clock.now() + 5 * DAY_MS).toISOString().slice(0, 10);
    const ClientAccount = { ...account.ClientAccount, Balance: 5_000, DueDate };
    const page = await open(service.fetch, 'payment', {
      ...user(NEW),
      Charges: [{ Amount: 2_000, ClientAccount }],
    });
    await page.pay({ charges: [{ index: 0, amount: 2_000 }] });
    await erase(database, NEW);
    const autopay = await open(service.fetch, 'autopay', {
      ...nextCustomer,
      ClientAccount: { ...nextCustomer.ClientAccount, Balance: 5_000, DueDate },
    });
    const { id: methodId } = await autopay.addMethod();
    await autopay.post('autopay/enroll', { methodId });
    expect((await autopay.get<AutopayPageSession>()).enrollment?.next?.amount).toBe(3_000);
    await service.close();
  });

  it('E-3 a repeated event moves no other customer to an account whose customer was erased', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'wallet', user(OLD));
    await move(service, OLD, NEW);
    await open(service.fetch, 'wallet', user(OLD));
    await erase(database, NEW);
    const repeated = await manage(service, OLD, NEW);
    expect(await repeated.json()).toMatchObject({ errors: [{ code: 'customer_not_found' }] });
    expect(await service.control.state(SLUG)).toMatchObject({
      accounts: [{ customers: [] }],
      customers: [{ EmailAddress: '' }, { EmailAddress: OLD }],
    });

    // An erased customer doesn't keep the next one's data.
    await open(service.fetch, 'autopay', nextCustomer);
    expect(await erase(database, 'bob@example.com')).not.toContain('Kept');
    expect((await service.control.state(SLUG)).accounts).toEqual([
      { AccountNumber: '7001', SubAccountNumber: '', customers: [] },
    ]);
    await service.close();
  });

  it('D-1 names the accounts of other customers with their sub-account numbers', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const ofBoth = { SyncAccount: true, ClientAccount: { ...account.ClientAccount, SubAccountNumber: '02' } };
    await open(service.fetch, 'autopay', { ...user(NEW), ...ofBoth });
    await open(service.fetch, 'autopay', { ...nextCustomer, ...ofBoth });
    expect(await erase(database, NEW)).toContain('address of 7001-02\n');
    await service.close();
  });

  it('disables the links of completed sessions', async () => {
    const database = await newDatabase();
    const service = await start(database);
    const wallet = await open(service.fetch, 'wallet', user(NEW));
    await wallet.post('done');
    await erase(database, NEW);
    expect((await refusal(wallet.addMethod())).status).toBe(410);
    await service.close();
  });

  it('saves no method that is being added at the same time, and has the processor forget it', async () => {
    const database = await newDatabase();
    const forgotten: string[] = [];
    const processor: PaymentProcessor = {
      tokenize: async () => {
        await erase(database, NEW);
        return { token: 'tok_1', last4: '4242' };
      },
      charge: async () => 'succeeded',
      lookup: async () => 'never_seen',
      forget: async (token) => void forgotten.push(token),
    };
    const service = await start(database, processor);
    const wallet = await open(service.fetch, 'wallet', user(NEW));
    expect((await refusal(wallet.addMethod())).status).toBe(410);
    const { paymentMethods, webhooks } = await service.control.state(SLUG);
    expect([paymentMethods, webhooks, forgotten]).toEqual([[], [], ['tok_1']]);
    await service.close();
  });

  it.runIf(name === 'PostgreSQL')(
    'leaves a session that is created in the meantime to the next erasure',
    async () => {
      const database = await newDatabase();
      const service = await start(database);
      const first = await open(service.fetch, 'wallet', user(NEW));
      const client = new Client(database);
      await client.connect();
      await client.query(`begin; select 1 from sessions where id = '${first.id}' for update`);
      const erasing = erase(database, NEW);
      const waiting = 'select 1 from pg_locks where not granted';
      await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
      const late = await open(service.fetch, 'notifications', user(NEW));
      await client.query('commit');
      await client.end();
      expect(await erasing).toContain('Erased');
      expect((await late.get()).customer).toMatchObject({ emailAddress: NEW });
      await erase(database, NEW);
      expect((await refusal(late.get())).status).toBe(410);
      const request = await service.deps.store.read((tx) => tx.sessions.requestOf(late.id));
      expect(request).not.toMatch(PERSON);
      await service.close();
    },
  );

  it.runIf(name === 'PostgreSQL')(
    'R-105 erases a session that is created while the customer is being renamed',
    async () => {
      const database = await newDatabase();
      const service = await start(database);
      await manage(service, undefined, NEW);
      const client = new Client(database);
      await client.connect();
      await client.query('begin; select 1 from customers for share');
      const erasing = erase(database, NEW);
      const waiting = 'select 1 from pg_locks where not granted';
      await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
      const late = await open(service.fetch, 'wallet', user(NEW));
      await client.query('commit');
      await client.end();
      expect(await erasing).toContain('Erased');
      expect((await refusal(late.get())).status).toBe(410);
      await service.close();
    },
  );

  it.runIf(name === 'PostgreSQL')(
    'R-105 makes no charge that began while the enrollment still existed',
    async () => {
      const database = await newDatabase();
      const service = await start(database);
      const page = await open(service.fetch, 'autopay', { ...user(NEW), ...account });
      const { id: methodId } = await page.addMethod();
      await page.post('autopay/enroll', { methodId });
      await open(service.fetch, 'paperless', { ...user('zelda.other@example.com'), ...account });
      let erasing: Promise<string> | undefined;
      // As a charge does: reads the enrollment, then locks the account.
      const charged = await service.deps.store.transaction(async (tx) => {
        const found = await tx.accounts.find(SLUG, '7001', '');
        const enrollment = await tx.autopay.ofAccount(found?.id ?? '');
        erasing ??= erase(database, NEW);
        expect(await erasing).toContain('Erased');
        await tx.accounts.lock(found?.id ?? '');
        return enrollment !== null;
      });
      expect(charged).toBe(false);
      await service.close();
    },
  );

  it.runIf(name === 'SQLite')('leaves no trace in the database file while the service runs', async () => {
    const database = await newDatabase();
    const service = await start(database);
    await open(service.fetch, 'wallet', user('zelda.other@example.com'));
    await fill(service);
    const traces = () =>
      readdirSync(folder)
        .filter((file) => file.startsWith(basename(database)))
        .filter((file) => PERSON.test(readFileSync(join(folder, file), 'latin1')));
    expect(traces()).not.toEqual([]);
    await erase(database, NEW);
    await erase(database, 'zelda.other@example.com');
    expect(traces()).toEqual([]);
    await service.close();
  });

  it.runIf(name === 'PostgreSQL')(
    'leaves no trace after the statements that docs/privacy.md names',
    async () => {
      const database = await newDatabase();
      const service = await start(database);
      await open(service.fetch, 'notifications', { ClientUser: { EmailAddress: 'bob@example.com' } });
      await fill(service);
      await ask(database, 'analyze');
      expect(await erase(database, NEW)).toMatch(/run ANALYZE and then VACUUM FULL/);
      await service.close();

      const traces = async () => {
        await ask(database, 'checkpoint');
        const files = await ask(
          database,
          `select relname from pg_class where relfilenode <> 0 and
          encode(pg_read_binary_file(pg_relation_filepath(oid)), 'escape') ~* '${PERSON.source}'`,
        );
        return files.map(({ relname }) => relname);
      };
      expect(await traces()).toEqual(expect.arrayContaining(['customers']));
      await ask(database, 'vacuum');
      expect(await traces()).toEqual(expect.arrayContaining(['customers']));
      await ask(database, 'analyze');
      // Old versions stay while an older transaction is open, even in the database of another test.
      const afterRewrite = async () => (await ask(database, 'vacuum full'), traces());
      await expect.poll(afterRewrite, { timeout: 30_000 }).toEqual([]);
    },
  );
});

it('R-105 reports a reader that prevents rewriting the file', () => {
  const file = newFile();
  const reader = new DatabaseSync(file);
  reader.exec(
    'pragma journal_mode = wal; create table t (x); insert into t values (1); begin; select * from t',
  );
  const select = reader.prepare('select * from t');
  select.get();
  expect(() => overwrite(file, 10)).toThrow(/could not be rewritten \(a connection is reading it\)/);
  reader.exec('commit');
  overwrite(file, 10);
  reader.close();
});

it('R-105 keeps the numbers and amounts of nested charges', () => {
  expect(
    removePersonalData({
      ClientUser: { EmailAddress: OLD },
      Charges: [
        { Amount: 1, Description: 'Water', ClientAccount: { ...account.ClientAccount, custom: 'x' } },
      ],
    }),
  ).toEqual({ Charges: [{ Amount: 1, Description: 'Water', ClientAccount: { AccountNumber: '7001' } }] });
});
