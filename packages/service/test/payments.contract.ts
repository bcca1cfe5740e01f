/** The contract of storage engines for payments, wallets and webhooks. `sql-engines.test.ts` runs it on each engine. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../src/payments/rules/attempt.js';
import { enroll, unenrollOwn } from '../src/autopay/enrollment.js';
import { beginAutopay } from '../src/autopay/charge.js';
import { beginScheduledCharge } from '../src/autopay/scheduled-charge.js';
import { billOf } from '../src/accounts/current-bill.js';
import { beginDueAutopay, type AutopayUnit } from '../src/autopay/due.js';
import { beginPayment, settlePayment } from '../src/payments/attempts.js';
import { DAY_MS } from '../src/core/day.js';
import { cancelSession } from '../src/sessions/cancel.js';
import { beginScheduled, schedulePayment } from '../src/schedules/scheduling.js';
import { syncAccount } from '../src/accounts/sync.js';
import { addMethod, makeDefault, removeMethod, walletOf } from '../src/wallet/methods.js';
import { DEFAULT_PREFERENCES } from '../src/preferences/rules.js';
import type { Schedule } from '../src/schedules/rules.js';
import type { AccountSession, PaymentSession } from '../src/sessions/rules/session.js';
import type { Store, StoreTx } from '../src/core/store.js';
import { MAX_METHODS, type Method } from '../src/wallet/rules.js';
import { bookPayment } from '../src/ledger/book.js';
import { recordDelivery } from '../src/webhooks/queue.js';
import type { OutboxMessage } from '../src/webhooks/rules.js';
import type { Opened } from './sql-engines.contract.js';

let count = 0;
const newId = (prefix = 'id_'): string => `${prefix}p${++count}`;
const at = (now = 1_000) => ({ now, newId, timeZone: 'UTC', config: { businessUnits: [] } });
const businessUnit = 'payments';

interface Household {
  account: string;
  customer: string;
  payment: PaymentSession;
  management: AccountSession;
}

/** An account, its customer, and a session of each kind. */
async function household(store: Store): Promise<Household> {
  const [account, customer] = [newId('acc_'), newId('cus_')];
  const base = {
    businessUnit,
    secretKeyId: 'k1',
    customerId: customer,
    createdAt: 1_000,
    expiresAt: 9_000,
    declines: 0,
  };
  const payment: PaymentSession = {
    ...base,
    id: newId('stg_'),
    flow: 'payment',
    status: 'RequiresPaymentSource',
    request: { BusinessUnitSlug: businessUnit, Channel: 'QuickPay', Charges: [{ Amount: 100 }] },
  };
  const management: AccountSession = {
    ...base,
    id: newId('stg_'),
    flow: 'autopay',
    status: 'Open',
    accountId: account,
    request: {
      BusinessUnitSlug: businessUnit,
      ClientAccount: { AccountNumber: account },
      ClientUser: { EmailAddress: customer },
    },
  };
  await store.transaction(async (tx) => {
    await tx.accounts.insert({
      id: account,
      businessUnit,
      accountNumber: account,
      subAccountNumber: '',
      fields: {},
    });
    await tx.customers.insert({ id: customer, businessUnit, emailAddress: customer });
    await tx.sessions.insert(payment);
    await tx.sessions.insert(management);
  });
  return { account, customer, payment, management };
}

const attemptOf = (sessionId: string, change: Partial<Attempt> = {}): Attempt => ({
  id: newId('pay_'),
  businessUnit,
  sessionId,
  requestId: newId(),
  status: 'processing',
  amount: Number.MAX_SAFE_INTEGER,
  refunded: 0,
  source: {
    method: 'Credit Card',
    token: 'tok',
    brand: 'Visa',
    last4: '4242',
    holder: 'Ada\u2028',
    save: false,
  },
  charges: [{ index: 0, amount: 100 }],
  fields: { 'InvoiceNumber"': "'; drop" },
  createdAt: 1_795_000_000_000,
  dueAt: 500,
  lookups: 0,
  ...change,
});

const newMethod = (requestId: string, { management, customer }: Household) => ({
  customerId: customer,
  requestId,
  session: management,
  method: 'ACH' as const,
  token: 'tok',
  last4: '6789',
  holder: 'Ada',
});

async function added(tx: StoreTx, newMethodInput: ReturnType<typeof newMethod>): Promise<Method> {
  const outcome = await addMethod(tx, newMethodInput, at());
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

const SERVICE_CHARGES: AutopayUnit = {
  autopay: 'service',
  paymentMethods: ['ACH'],
  timeZone: 'UTC',
};

/** Noon of January 5th. */
const DAY_5 = 4.5 * DAY_MS;

/** A charge of the merchant. */
const chargeOf = ({ account }: Household) => ({
  BusinessUnitSlug: businessUnit,
  AccountNumber: account,
  Amount: 100,
  ClientReference: newId(),
});

const chargeContext = () => ({
  env: 'staging' as const,
  unit: { slug: businessUnit, paymentMethods: ['ACH' as const], timeZone: 'UTC' },
  requestId: newId('pay_'),
  repeated: false,
});

/** Begins an account's AutoPay charge, like the job. */
const beginDue = (tx: StoreTx, { account }: Household) =>
  beginDueAutopay(tx, account, SERVICE_CHARGES, { ...at(), env: 'staging' });

const enrollIn = (tx: StoreTx, { management }: Household, methodId: string) =>
  enroll(tx, management, { methodId, authorization: 'I authorize it.' }, SERVICE_CHARGES, at());

/** A household whose bill of $5.00 is due today, enrolled in AutoPay. */
async function owing(store: Store): Promise<Household> {
  const home = await household(store);
  await store.transaction(async (tx) => {
    const account = await tx.accounts.get(home.account);
    if (!account) throw new Error('The account is missing.');
    const fields = { Balance: 500, DueDate: '1970-01-01' };
    await tx.accounts.update({ ...account, fields, bill: fields, billedAt: 1_000 });
    const { id: methodId } = await added(tx, newMethod('r1', home));
    await enrollIn(tx, home, methodId);
  });
  return home;
}

/** Pays $2.00 of the account's bill in its payment session. */
async function payPart(tx: StoreTx, { account, payment }: Household): Promise<void> {
  const ClientAccount = { AccountNumber: account, Name: 'Ada' };
  const session: PaymentSession = {
    ...payment,
    id: newId('stg_'),
    request: { ...payment.request, Charges: [{ Amount: 200, ClientAccount }] },
  };
  await tx.sessions.insert(session);
  const { source } = attemptOf(session.id);
  const started = await beginPayment(
    tx,
    {
      id: newId('pay_'),
      session,
      requestId: newId(),
      source,
      charges: [{ index: 0, amount: 200 }],
      total: 200,
      fields: {},
      authorization: 'I authorize it.',
    },
    at(),
  );
  if (!started.ok) throw new Error(JSON.stringify(started));
}

/** An additional contract for engines with concurrent transactions, where one can read before another commits. */
export function describeConcurrent(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    /** Runs `work` on a snapshot from before `concurrent`, which another process commits first. */
    const overtaken = <T>(
      work: (tx: StoreTx) => Promise<T>,
      concurrent: (tx: StoreTx) => Promise<unknown>,
    ) => {
      let turns = 0;
      return store.transaction(async (tx) => {
        await tx.meta.get('clock-offset');
        if ((turns += 1) === 1) await opened.other?.transaction(concurrent);
        return work(tx);
      });
    };
    const scheduled = (tx: StoreTx, { management }: Household, methodId: string) =>
      schedulePayment(
        tx,
        management,
        { requestId: randomUUID(), amount: 100, date: '1970-01-05', methodId },
        { ...SERVICE_CHARGES, name: 'Harborlight Water' },
        { ...at(), env: 'staging', canCharge: true },
      );

    it('R-91 reads once what uses the methods of a wallet, however many there are', async () => {
      const home = await household(store);
      let reads = 0;
      const wallet = await store.transaction(async (tx) => {
        const methods: typeof tx.methods = {
          ...tx.methods,
          uses: (methodIds) => {
            reads++;
            return tx.methods.uses(methodIds);
          },
        };
        const { id } = await added(tx, newMethod('r1', home));
        await added(tx, { ...newMethod('r2', home), last4: '1111' });
        await enrollIn(tx, home, id);
        return walletOf({ ...tx, methods }, home.customer);
      });
      expect(wallet.map(({ uses }) => uses)).toEqual([['autopay'], []]);
      expect(reads).toBe(1);
    });

    it.each([
      ['enrolls', enrollIn],
      ['schedules', scheduled],
    ])(
      'R-91 locks the account before the method when a payer %s, so that neither waits for the other',
      async (_, use) => {
        const home = await household(store);
        const locked: string[] = [];
        await store.transaction(async (tx) => {
          const { id } = await added(tx, newMethod('r1', home));
          const accounts: typeof tx.accounts = {
            ...tx.accounts,
            lock: (accountId) => {
              locked.push('account');
              return tx.accounts.lock(accountId);
            },
          };
          const methods: typeof tx.methods = {
            ...tx.methods,
            touch: (methodId) => {
              locked.push('method');
              return tx.methods.touch(methodId);
            },
          };
          await use({ ...tx, accounts, methods }, home, id);
        });
        expect(locked).toEqual(['account', 'method']);
      },
    );

    it.each<[string, (tx: StoreTx, home: Household, methodId: string) => Promise<{ ok: boolean }>]>([
      ['enrolled', enrollIn],
      ['scheduled with', scheduled],
      ['made the default', (tx, { customer }, methodId) => makeDefault(tx, customer, methodId)],
    ])('R-57 a method that is removed while it is %s is not used', async (_, use) => {
      const home = await household(store);
      const { id } = await store.transaction((tx) => added(tx, newMethod('r1', home)));
      expect(await store.transaction((tx) => use(tx, home, id))).toMatchObject({ ok: true });
      const another = await household(store);
      const { id: removed } = await store.transaction((tx) => added(tx, newMethod('r1', another)));
      const outcome = await overtaken(
        (tx) => use(tx, another, removed),
        (tx) => removeMethod(tx, another.customer, removed, another.management, at()),
      );
      expect(outcome).toMatchObject({ ok: false });
    });

    it.each<[string, (tx: StoreTx, home: Household) => Promise<unknown>, unknown]>([
      ['another process begins the charge', beginDue, null],
      ['the payer unenrolls', (tx, { management }) => unenrollOwn(tx, management, at()), null],
      ['the payer pays a part', payPart, 'later'],
    ])('R-106 a due charge that starts while %s is skipped', async (_, concurrent, outcome) => {
      const home = await owing(store);
      expect(
        await overtaken(
          (tx) => beginDue(tx, home),
          (tx) => concurrent(tx, home),
        ),
      ).toEqual(outcome);
    });

    it.each<
      [string, (tx: StoreTx, home: Household, methodId: string) => Promise<(other: StoreTx) => unknown>]
    >([
      [
        'a scheduled payment',
        async (tx, home, methodId) => {
          const schedule = await scheduled(tx, home, methodId);
          const id = schedule.ok ? schedule.value.id : '';
          return (other) => beginScheduled(other, id, SERVICE_CHARGES, { ...at(DAY_5), env: 'staging' });
        },
      ],
      [
        'a charge of the merchant',
        async (tx, home, methodId) => {
          await enrollIn(tx, home, methodId);
          const { id } = await beginAutopay(
            tx,
            { ...chargeOf(home), ChargeOn: '1970-01-05' },
            chargeContext(),
            2_000,
          );
          return (other) => beginScheduledCharge(other, id, SERVICE_CHARGES, at(DAY_5));
        },
      ],
    ])('R-106 refuses Pay if %s of the account begins at the same moment', async (_, prepare) => {
      const home = await household(store);
      const begin = await store.transaction(async (tx) =>
        prepare(tx, home, (await added(tx, newMethod('r1', home))).id),
      );
      const pressed = overtaken(
        (tx) => payPart(tx, home),
        async (tx) => begin(tx),
      );
      await expect(pressed).rejects.toThrow('Another payment for this account');
    });

    it('R-81 a session that is canceled while its page changes something is canceled first', async () => {
      const { management } = await household(store);
      const current = await overtaken(
        (tx) => tx.sessions.lock(management),
        (tx) => cancelSession(tx, businessUnit, management.id, at()),
      );
      expect(current).toEqual({ ...management, status: 'Canceled' });
    });

    it('R-106 an account that enrolls while its due date is synced is charged on the new date', async () => {
      const home = await household(store);
      const { id } = await store.transaction((tx) => added(tx, newMethod('r1', home)));
      const sync = async (tx: StoreTx): Promise<unknown> => {
        const found = await tx.accounts.get(home.account);
        const key = { accountNumber: home.account, subAccountNumber: '' };
        const fields = { DueDate: '1970-01-09' };
        return syncAccount(tx, { businessUnit, key, found, fields, secret: '' });
      };
      await overtaken((tx) => enrollIn(tx, home, id), sync);
      const enrollment = await store.read((tx) => tx.autopay.ofAccount(home.account));
      expect(enrollment).toMatchObject({ dueDate: '1970-01-09' });
    });

    it.each<[string, (tx: StoreTx, home: Household, methodId: string) => Promise<unknown>]>([
      [
        'unenrolls',
        async (tx, { management, customer }, methodId) => {
          await unenrollOwn(tx, management, at());
          await removeMethod(tx, customer, methodId, management, at());
        },
      ],
      [
        'chooses another method',
        async (tx, home, methodId) => {
          const { id } = await added(tx, { ...newMethod('r2', home), last4: '1111' });
          await enrollIn(tx, home, id);
          await removeMethod(tx, home.customer, methodId, home.management, at());
        },
      ],
    ])(
      'R-83 a payer who %s while AutoPay starts to charge is not charged with that method',
      async (_, change) => {
        const home = await household(store);
        const { id } = await store.transaction((tx) => added(tx, newMethod('r1', home)));
        await store.transaction((tx) => enrollIn(tx, home, id));
        const context = chargeContext();
        const started = await overtaken(
          (tx) => beginAutopay(tx, chargeOf(home), context, 2_000),
          (tx) => change(tx, home, id),
        ).catch((error: unknown) => error);
        expect(started).not.toMatchObject({ source: { methodId: id } });
        const attempts = await store.read((tx) => tx.attempts.list(businessUnit));
        const own = attempts.filter(({ requestId }) => requestId === context.requestId);
        for (const attempt of own) expect(attempt.source.methodId).not.toBe(id);
      },
    );
  });
}

export function describePayments(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    let store: Store;
    /** Alternates between the two stores, like two processes. */
    let either: (turn: number) => Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      either = (turn) => (turn % 2 === 0 ? store : (opened.other ?? store));
    });
    afterAll(() => opened.close());

    it('R-55 returns the newest hundred attempts of a session, oldest first', async () => {
      const { payment } = await household(store);
      const made = Array.from({ length: 103 }, (__, place) => {
        const id = `pay_${String(place).padStart(31, '0')}`;
        const { dueAt: _, ...settled } = attemptOf(payment.id, {
          id,
          requestId: id,
          createdAt: 1_000 + place,
        });
        return { ...settled, status: 'succeeded' } as const;
      });
      await store.transaction(async (tx) => {
        for (const attempt of made.toReversed()) await tx.attempts.insert(attempt);
        const newest = await tx.attempts.ofSession(payment.id);
        expect(newest.map(({ id }) => id)).toEqual(made.slice(3).map(({ id }) => id));
      });
    });

    it('returns an attempt as stored, and finds it when it is due', async () => {
      const { payment } = await household(store);
      const stored = attemptOf(payment.id, {
        descriptor: 'Water',
        authorizationId: 'aut_1',
        booked: 'nothing',
      });
      await store.transaction((tx) => tx.attempts.insert(stored));
      await store.transaction(async (tx) => {
        // The database also holds rows of other tests.
        const isDue = async (now: number): Promise<boolean> =>
          (await tx.attempts.unitsDue(now)).includes(stored.businessUnit) &&
          (await tx.attempts.due(stored.businessUnit, now, 100)).some(({ id }) => id === stored.id);
        expect(await tx.attempts.get(stored.id)).toEqual(stored);
        expect(await tx.attempts.find(payment.id, stored.requestId)).toEqual(stored);
        // descriptors may be long.
        expect(await tx.attempts.ofSession(payment.id)).toEqual([{ ...stored, descriptor: undefined }]);
        const declined = { ...stored, status: 'declined' as const };
        await tx.attempts.update(declined);
        expect(await tx.attempts.ofSession(payment.id)).toEqual([
          { ...declined, fields: {}, descriptor: undefined },
        ]);
        await tx.attempts.update(stored);
        const { id, createdAt } = stored;
        for (const filter of [{}, { statuses: [stored.status] }])
          expect(
            await tx.attempts.positions({ businessUnit: stored.businessUnit, ...filter, limit: 1_000 }),
          ).toContainEqual({ id, createdAt });
        expect(await tx.attempts.at([stored])).toEqual([{ ...stored, fields: {}, descriptor: undefined }]);
        expect([await isDue(499), await isDue(500)]).toEqual([false, true]);
        const {
          source: _source,
          charges: _charges,
          fields: _fields,
          descriptor: _descriptor,
          ...head
        } = stored;
        expect(await tx.attempts.due(stored.businessUnit, 500, 100)).toContainEqual(head);
        expect(await tx.attempts.due('another', 500, 100)).toEqual([]);
        const { dueAt: _, ...settled } = {
          ...stored,
          status: 'succeeded' as const,
          answeredAt: 600,
          refunded: Number.MAX_SAFE_INTEGER,
          reason: 'approved',
          reference: 'gw_1',
        };
        await tx.attempts.update(settled);
        expect(await tx.attempts.get(stored.id)).toEqual(settled);
        expect(await isDue(10_000)).toBe(false);
      });
    });

    it('lists upcoming scheduled payments separately from the latest past ones', async () => {
      const home = await household(store);
      const { account, customer, management } = home;
      await store.transaction(async (tx) => {
        const method = await added(tx, newMethod('r1', home));
        const scheduled = async (date: string, status: Schedule['status']): Promise<void> => {
          const id = newId('sch_');
          const of = { accountId: account, customerId: customer, methodId: method.id, requestId: id };
          const made = { id, businessUnit, sessionId: management.id, ...of, createdAt: 5 };
          await tx.schedules.insert({ ...made, amount: 100, date, status });
        };
        await scheduled('2026-12-05', 'scheduled');
        await scheduled('2026-12-04', 'executing');
        await scheduled('2026-12-03', 'canceled');
        await scheduled('2026-12-01', 'executed');
        await scheduled('2026-12-02', 'failed');
        const dates = (found: Schedule[]): string[] => found.map(({ date }) => date);
        const ahead = (of: string) => tx.schedules.upcoming(account, of);
        const past = (most: number, of = customer) => tx.schedules.past(account, of, most);
        expect(dates(await ahead(customer))).toEqual(['2026-12-04', '2026-12-05']);
        expect(dates(await past(9))).toEqual(['2026-12-01', '2026-12-02', '2026-12-03']);
        expect(dates(await past(2))).toEqual(['2026-12-02', '2026-12-03']);
        expect(await ahead('another')).toEqual([]);
        expect(await past(1, 'another')).toEqual([]);
        expect(await tx.schedules.hasDue(account, '2026-12-05')).toBe(true);
        expect(await tx.schedules.hasDue(account, '2026-12-04')).toBe(false);
        expect(await tx.schedules.hasDue('another', '2026-12-05')).toBe(false);
      });
    });

    it('returns methods, enrollments, schedules and preferences as stored', async () => {
      const home = await household(store);
      const { account, customer, management } = home;
      await store.transaction(async (tx) => {
        const method = await added(tx, newMethod('r1', home));
        expect(await tx.methods.get(method.id)).toEqual(method);
        expect(await tx.methods.list(businessUnit)).toContainEqual(method);
        expect((await enrollIn(tx, home, method.id)).ok).toBe(true);
        expect((await tx.methods.uses([method.id])).get(method.id)).toEqual(['autopay']);
        await tx.autopay.remove(account);
        expect((await tx.methods.uses([method.id])).get(method.id)).toEqual([]);
        expect(await tx.autopay.ofAccount(account)).toBeNull();

        const paperless = { businessUnit, accountId: account, customerId: customer, enrolledAt: 7 };
        await tx.paperless.insert(paperless);
        expect(await tx.paperless.find(account, customer)).toEqual(paperless);
        await tx.paperless.remove(account, customer);
        expect(await tx.paperless.find(account, customer)).toBeNull();

        const schedule: Schedule = {
          id: newId('sch_'),
          businessUnit,
          sessionId: management.id,
          requestId: 'r1',
          accountId: account,
          customerId: customer,
          methodId: method.id,
          amount: 100,
          date: '2026-12-01',
          status: 'scheduled',
          createdAt: 5,
        };
        await tx.schedules.insert(schedule);
        expect(await tx.schedules.findByRequest(customer, 'r1')).toEqual(schedule);
        const { waiting } = tx.schedules;
        const due = async (unit: string, day: string, limit = 10): Promise<string[]> =>
          (await waiting.due(unit, day, limit)).map(({ id }) => id);
        expect(await due(businessUnit, '2026-11-30')).toEqual([]);
        expect(await waiting.due(businessUnit, '2026-12-02', 10)).toEqual([
          { id: schedule.id, businessUnit, sessionId: management.id },
        ]);
        expect(await due('other', '2026-12-02')).toEqual([]);
        const earlier: Schedule = { ...schedule, id: newId('sch_'), requestId: 'r2', date: '2026-11-30' };
        const elsewhere: Schedule = { ...schedule, id: newId('sch_'), requestId: 'r3', businessUnit: 'last' };
        await tx.schedules.insert(earlier);
        await tx.schedules.insert(elsewhere);
        expect(await due(businessUnit, '2026-12-01')).toEqual([earlier.id, schedule.id]);
        expect(await due(businessUnit, '2026-12-01', 1)).toEqual([earlier.id]);
        expect(await waiting.units()).toEqual(
          expect.arrayContaining([
            { businessUnit, day: '2026-11-30' },
            { businessUnit: 'last', day: '2026-12-01' },
          ]),
        );
        await tx.schedules.update({ ...earlier, status: 'canceled' });
        await tx.schedules.update({ ...schedule, status: 'failed', reason: 'declined' });
        expect(await tx.schedules.get(schedule.id)).toEqual({
          ...schedule,
          status: 'failed',
          reason: 'declined',
        });
        expect(await due(businessUnit, '2026-12-02')).toEqual([]);

        expect(await tx.notifications.ofCustomer(customer)).toBeNull();
        const preferences = { ...DEFAULT_PREFERENCES, phoneNumber: '+15550100' };
        await tx.notifications.put(businessUnit, customer, DEFAULT_PREFERENCES);
        await tx.notifications.put(businessUnit, customer, preferences);
        expect(await tx.notifications.ofCustomer(customer)).toEqual(preferences);
      });
    });

    it('counts pending messages per business unit, with the time of the oldest', async () => {
      const write = async (overrides: Partial<OutboxMessage>): Promise<OutboxMessage> => {
        const message: OutboxMessage = {
          id: newId('msg_'),
          businessUnit: 'counted-1',
          type: 'payment.succeeded',
          body: '{}',
          status: 'pending',
          attempts: 0,
          createdAt: 100,
          dueAt: 100,
          leasedUntil: 0,
          ...overrides,
        };
        await store.transaction((tx) => tx.outbox.insert(message));
        return message;
      };
      const counted = async (most = 9) =>
        (await store.read((tx) => tx.outbox.pending(most)))
          .filter(({ businessUnit }) => businessUnit.startsWith('counted-'))
          .toSorted((a, b) => a.businessUnit.localeCompare(b.businessUnit));
      expect(await counted()).toEqual([]);

      const first = await write({});
      await write({ createdAt: 300, dueAt: 300 });
      await write({ status: 'delivered', createdAt: 1, dueAt: 1 });
      await write({ businessUnit: 'counted-2', createdAt: 200, dueAt: 9_000, attempts: 3 });
      const second = { businessUnit: 'counted-2', count: 1, since: 200 };
      expect(await counted()).toEqual([{ businessUnit: 'counted-1', count: 2, since: 100 }, second]);
      expect(await counted(1)).toEqual([{ businessUnit: 'counted-1', count: 1, since: 100 }, second]);

      const failed = { ...first, attempts: 1, dueAt: 5_000 };
      await store.transaction((tx) => tx.outbox.update(failed));
      expect(await counted()).toEqual([{ businessUnit: 'counted-1', count: 2, since: 100 }, second]);

      await store.transaction((tx) => tx.outbox.update({ ...failed, status: 'failed' }));
      expect(await counted()).toEqual([{ businessUnit: 'counted-1', count: 1, since: 300 }, second]);
    });

    it('returns messages to deliver if they are due and not leased', async () => {
      const message: OutboxMessage = {
        id: newId('msg_'),
        businessUnit: 'outbox',
        type: 'payment.succeeded',
        body: '{"a":"\\u0000"}',
        status: 'pending',
        attempts: 0,
        createdAt: 1,
        dueAt: 100,
        leasedUntil: 0,
      };
      const mine = async (now: number, systemNow: number): Promise<number> =>
        (await store.transaction((tx) => tx.outbox.due('outbox', now, systemNow, 100))).length;
      const unit = (now: number, systemNow: number): Promise<boolean> =>
        store.transaction(async (tx) => (await tx.outbox.unitsDue(now, systemNow)).includes('outbox'));
      await store.transaction((tx) => tx.outbox.insert(message));
      expect([await mine(99, 0), await mine(100, 0)]).toEqual([0, 1]);
      expect([await unit(99, 0), await unit(100, 0)]).toEqual([false, true]);
      await store.transaction((tx) =>
        tx.outbox.update({ ...message, leasedUntil: 50, lastError: 'HTTP 500' }),
      );
      expect([await mine(100, 49), await mine(100, 50)]).toEqual([0, 1]);
      expect([await unit(100, 49), await unit(100, 50)]).toEqual([false, true]);
      await store.transaction(async (tx) => {
        expect(await tx.outbox.list('outbox')).toEqual([
          { ...message, leasedUntil: 50, lastError: 'HTTP 500' },
        ]);
        await tx.outbox.disable('outbox', 'http://a', 1);
        await tx.outbox.disable('outbox', 'http://a', 2);
        expect(await tx.outbox.disabled('outbox', 'http://a')).toBe(true);
        expect(await tx.outbox.disabled('outbox', 'http://b')).toBe(false);
        expect(await tx.outbox.disabledOf('outbox')).toEqual([{ url: 'http://a', disabledAt: 1 }]);
        await tx.outbox.enable('outbox');
        expect(await tx.outbox.disabled('outbox', 'http://a')).toBe(false);
        const since = async (from: number, after: string, size = 100) => {
          const { messages, next } = await tx.outbox.since('outbox', from, { after, size });
          return [messages.map(({ id }) => id), next];
        };
        expect(await since(1, '')).toEqual([[message.id], undefined]);
        expect((await since(1, '', 1))[1]).toMatch(/^msg_/);
        expect(await since(1, message.id)).toEqual([[], undefined]);
        expect(await since(2, '')).toEqual([[], undefined]);
        expect(await tx.outbox.hasReceiver('outbox')).toBe(false);
        await tx.outbox.recordReceivers([]);
        await tx.outbox.recordReceivers(Array.from({ length: 2_500 }, (_, number) => `unit-${number}`));
        await tx.outbox.recordReceivers(['outbox', 'unit-1']);
        expect(await tx.outbox.hasReceiver('outbox')).toBe(true);
        expect(await tx.outbox.hasReceiver('unit-2499')).toBe(true);
        const times = { now: 100, systemNow: 50, until: 70 };
        expect(await tx.outbox.lease('outbox', { ...times, systemNow: 49 }, 10)).toEqual([]);
        expect(await tx.outbox.lease('outbox', times, 10)).toMatchObject([{ leasedUntil: 70 }]);
        expect((await tx.outbox.get(message.id))?.leasedUntil).toBe(70);
        expect(await tx.outbox.removePending('other', 10)).toBe(0);
        expect(await tx.outbox.removePending('outbox', 10)).toBe(1);
        expect(await tx.outbox.get(message.id)).toBeNull();
      });
    });

    it('R-66 disables an address that returned 410 only if the message is still leased', async () => {
      const url = 'http://gone';
      const message: OutboxMessage = {
        id: newId('msg_'),
        businessUnit: 'gone',
        type: 'payment.succeeded',
        body: '{}',
        status: 'pending',
        attempts: 0,
        createdAt: 1,
        dueAt: 1,
        leasedUntil: 50,
      };
      const record = (leasedUntil: number) =>
        store.transaction(async (tx) => {
          const gone = { type: 'answered', status: 410 } as const;
          const recorded = await recordDelivery(tx, { ...message, leasedUntil }, url, gone, 2);
          return [recorded?.status, await tx.outbox.disabled('gone', url)];
        });
      await store.transaction((tx) => tx.outbox.insert(message));
      expect(await record(40)).toEqual([undefined, false]);
      expect(await record(50)).toEqual(['disabled', true]);
    });

    it('R-106 sums payments for an account, of any size, without removed ones', async () => {
      const { account, payment } = await owing(store);
      const paying = (amount: number, change: Partial<Attempt> = {}): [number, Attempt] => [
        amount,
        attemptOf(payment.id, { status: 'succeeded', answeredAt: 500, amount: 100, ...change }),
      ];
      const refunded = paying(50);
      const paid = [
        paying(70),
        paying(20, { status: 'pending' }),
        paying(10, { status: 'scheduled' }),
        refunded,
        paying(1, { status: 'canceled' }),
        // Of an enrollment that has ended.
        paying(1, { status: 'scheduled', createdAt: 0 }),
      ];
      await store.transaction(async (tx) => {
        const insert = async ([amount, attempt]: [number, Attempt]): Promise<void> => {
          await tx.attempts.insert(attempt);
          await tx.accountPayments.record(account, { ...attempt, amount });
        };
        expect(await tx.accountPayments.sum(account)).toEqual({ amount: 0, unfinished: false });
        for (const one of paid) await insert(one);
        await tx.accountPayments.remove(refunded[1].id);
        expect(await tx.accountPayments.sum(account)).toEqual({ amount: 100, unfinished: false });
        await insert(paying(4e15, { amount: 8e15 }));
        const processing = paying(5, { status: 'processing' });
        await insert(processing);
        const sum = { amount: 100 + 4e15, unfinished: true };
        expect(await tx.accountPayments.sum(account)).toEqual(sum);
        expect(await tx.accountPayments.sum(account, processing[1].id)).toEqual({
          ...sum,
          unfinished: false,
        });
      });
    });

    it('R-106 keeps payments of an account until its next bill', async () => {
      const { account, management } = await household(store);
      const [kept, booked, old] = [600, 700, 400].map((answeredAt) =>
        attemptOf(management.id, { status: 'succeeded', answeredAt, amount: 100 }),
      ) as [Attempt, Attempt, Attempt];
      const paid = (amount: number) => ({ amount, unfinished: false });
      await store.transaction(async (tx) => {
        const found = await tx.accounts.get(account);
        await tx.accounts.update({ ...found!, billedAt: 500 });
        for (const attempt of [kept, booked, old]) await tx.attempts.insert(attempt);
        for (const attempt of [kept, old]) await tx.accountPayments.record(account, attempt);
        await bookPayment(tx, booked, management, { date: '2027-03-10', hadSucceeded: false });
        expect(await tx.accountPayments.sum(account)).toEqual(paid(300));
        await tx.accountPayments.forget(account, 600);
        expect(await tx.accountPayments.sum(account)).toEqual(paid(200));
        await tx.accountPayments.forget(account, 1_000);
        expect(await tx.accountPayments.sum(account)).toEqual(paid(0));
      });
    });

    it('R-106 decides by the order of transactions what a bill includes, even if clocks of processes differ', async () => {
      const { account, management } = await household(store);
      const found = await store.read((tx) => tx.accounts.get(account));
      const { accountNumber, subAccountNumber } = found!;
      const sync = (Balance: number, now: number) =>
        store.transaction(async (tx) =>
          syncAccount(tx, {
            businessUnit: found!.businessUnit,
            key: { accountNumber, subAccountNumber },
            found: await tx.accounts.get(account),
            fields: { Balance },
            secret: '',
            bill: { hasBalance: true, hasDueDate: false, now, today: '2027-03-10' },
          }),
        );
      const pay = (answeredAt: number) =>
        store.transaction(async (tx) => {
          // Other tests read limited lists of the unit's payments, and of those that are due.
          const { dueAt: _, ...attempt } = attemptOf(management.id, {
            businessUnit: 'another-shop',
            status: 'succeeded',
            answeredAt,
            amount: 100,
          });
          await tx.attempts.insert(attempt);
          await tx.accountPayments.record(account, attempt);
        });
      const paid = async () => (await store.read((tx) => billOf(tx, account)))?.paid;
      await sync(9_000, 1_000);
      await pay(900);
      expect(await paid()).toMatchObject({ amount: 100 });
      await pay(1_100);
      await sync(8_800, 1_050);
      expect(await paid()).toMatchObject({ amount: 0 });

      // A new bill deletes about a thousand rows. Any that are left count toward no bill.
      for (let count = 0; count < 1_204; count++) await pay(1_200);
      await sync(8_600, 1_300);
      expect(await paid()).toBeNull();
      expect(await store.read((tx) => tx.accountPayments.sum(account))).toMatchObject({ amount: 100 });
      await sync(8_400, 1_400);
      expect(await paid()).toMatchObject({ amount: 0 });
    });

    it('R-91 looks at no automatic payment again once it was accepted', async () => {
      const home = await owing(store);
      await store.transaction(async (tx) => {
        const attempt = await beginDue(tx, home);
        if (attempt === null || typeof attempt !== 'object' || !('id' in attempt))
          throw new Error('Not due.');
        const account = await tx.accounts.get(home.account);
        const isFound = (counted: number) =>
          tx.accountPayments.hasAutomatic(
            businessUnit,
            {
              accountNumber: account?.accountNumber ?? '',
              subAccountNumber: account?.subAccountNumber ?? '',
            },
            { counted, today: '1970-01-01' },
          );
        expect(await isFound(0)).toBe(true);
        await settlePayment(tx, attempt, { outcome: 'succeeded' }, at());
        // It would be found now.
        await tx.attempts.update({ ...attempt, status: 'processing' });
        expect([await isFound(1), await isFound(0)]).toEqual([false, true]);
      });
    });

    it.each(['declined', 'returned'] as const)(
      'R-91 keeps nothing of a payment for an account that was %s',
      async (outcome) => {
        const { account, payment } = await household(store);
        const bank = { method: 'ACH', token: 'tok', last4: '6789', holder: 'Ada', save: false } as const;
        const attempt = attemptOf(payment.id, {
          status: outcome === 'returned' ? 'pending' : 'processing',
          source: bank,
        });
        await store.transaction(async (tx) => {
          await tx.attempts.insert(attempt);
          await tx.accountPayments.record(account, attempt);
          await settlePayment(tx, attempt, { outcome }, at());
          // Any remaining row would count now.
          await tx.attempts.update({ ...attempt, status: 'processing' });
          expect(await tx.accountPayments.sum(account)).toEqual({ amount: 0, unfinished: false });
        });
      },
    );

    it('R-44 starts one of 20 concurrent payments in a session', async () => {
      const { payment } = await household(store);
      const started = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          either(turn).transaction((tx) => {
            const { id, source, charges, fields } = attemptOf(payment.id);
            const all = {
              id,
              session: payment,
              requestId: newId(),
              source,
              charges,
              total: 100,
              fields,
              authorization: 'I authorize it.',
            };
            return beginPayment(tx, all, at());
          }),
        ),
      );
      expect(started.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await store.transaction((tx) => tx.attempts.ofSession(payment.id))).toHaveLength(1);
    });

    it('R-44 records and announces one of 10 concurrent outcomes of a payment', async () => {
      const { payment } = await household(store);
      const attempt = attemptOf(payment.id);
      await store.transaction(async (tx) => {
        await tx.attempts.insert(attempt);
        await tx.sessions.update({ ...payment, status: 'Processing' });
      });
      await Promise.all(
        Array.from({ length: 10 }, (_, turn) =>
          either(turn).transaction((tx) =>
            settlePayment(tx, attempt, { outcome: turn % 3 === 0 ? 'declined' : 'succeeded' }, at()),
          ),
        ),
      );
      await store.transaction(async (tx) => {
        const messages = (await tx.outbox.list(businessUnit)).filter(({ body }) => body.includes(payment.id));
        expect(messages).toHaveLength(1);
        const { status, declines } = (await tx.sessions.get(payment.id)) ?? payment;
        const { status: settled } = (await tx.attempts.get(attempt.id)) ?? attempt;
        expect([
          { status: 'Succeeded', declines: 0, settled: 'succeeded' },
          { status: 'RequiresPaymentSource', declines: 1, settled: 'declined' },
        ]).toContainEqual({ status, declines, settled });
      });
    });

    it('R-57 stores one card with its newest token if it is saved twice concurrently', async () => {
      const home = await household(store);
      const card = (turn: number) => ({
        ...newMethod(`c${turn}`, home),
        method: 'Credit Card' as const,
        token: `tok${turn}`,
        brand: 'Visa',
        expiry: '12/34',
      });
      await Promise.all(
        Array.from({ length: 8 }, (_, turn) =>
          either(turn).transaction((tx) => addMethod(tx, card(turn), at())),
        ),
      );
      await store.transaction((tx) => addMethod(tx, card(99), at()));
      const wallet = await store.transaction((tx) => walletOf(tx, home.customer));
      expect(wallet.map(({ method }) => method.token)).toEqual(['tok99']);
      await store.transaction((tx) => addMethod(tx, { ...card(100), expiry: '01/35' }, at()));
      expect(await store.transaction((tx) => walletOf(tx, home.customer))).toHaveLength(2);
    });

    it('D-8 keeps one default and one method per request in a wallet with concurrent additions', async () => {
      const home = await household(store);
      await Promise.all(
        Array.from({ length: 12 }, (_, turn) =>
          either(turn).transaction((tx) => addMethod(tx, newMethod(`r${turn % 6}`, home), at())),
        ),
      );
      const wallet = await store.transaction((tx) => walletOf(tx, home.customer));
      expect(wallet).toHaveLength(6);
      expect(wallet.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    });

    it('R-57 caps a wallet with concurrent additions', async () => {
      const home = await household(store);
      for (let r = 0; r < MAX_METHODS - 2; r++)
        await store.transaction((tx) => added(tx, newMethod(`r${r}`, home)));
      const late = await Promise.all(
        Array.from({ length: 8 }, (_, turn) =>
          either(turn).transaction((tx) => addMethod(tx, newMethod(`late${turn}`, home), at())),
        ),
      );
      expect(late.filter(({ ok }) => ok)).toHaveLength(2);
      expect(late.find(({ ok }) => !ok)).toMatchObject({ code: 'conflict', reason: 'wallet_full' });
      expect(await store.transaction((tx) => walletOf(tx, home.customer))).toHaveLength(MAX_METHODS);
      // A completed request can still be repeated.
      expect((await store.transaction((tx) => addMethod(tx, newMethod('r0', home), at()))).ok).toBe(true);
    });

    it('R-57 updates the token of a card that a full wallet already has', async () => {
      const home = await household(store);
      const card = (requestId: string) => ({
        ...newMethod(requestId, home),
        method: 'Credit Card' as const,
        token: requestId,
        brand: 'Visa',
        expiry: '12/34',
      });
      await store.transaction((tx) => addMethod(tx, card('first'), at()));
      for (let r = 1; r < MAX_METHODS; r++)
        await store.transaction((tx) => added(tx, newMethod(`r${r}`, home)));
      const again = await Promise.all(
        Array.from({ length: 4 }, (_, turn) =>
          either(turn).transaction((tx) => addMethod(tx, card(`again${turn}`), at())),
        ),
      );
      expect(again.map(({ ok }) => ok)).toEqual([true, true, true, true]);
      const other = { ...card('other'), expiry: '01/35' };
      expect(await store.transaction((tx) => addMethod(tx, other, at()))).toMatchObject({
        reason: 'wallet_full',
      });
      const wallet = await store.transaction((tx) => walletOf(tx, home.customer));
      expect(wallet).toHaveLength(MAX_METHODS);
      expect(wallet.filter(({ method }) => method.token.startsWith('again'))).toHaveLength(1);
    });

    it('counts concurrent tries of a session', async () => {
      const { payment } = await household(store);
      const counts = await Promise.all(
        Array.from({ length: 8 }, (_, turn) =>
          either(turn).transaction((tx) => tx.sessions.countTry(payment.id)),
        ),
      );
      expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('R-57 a method is either removed or in use under concurrency', async () => {
      for (let round = 0; round < 4; round++) {
        const home = await household(store);
        const { customer, management } = home;
        const { id } = await store.transaction((tx) => added(tx, newMethod('r1', home)));
        const [removed, enrolled] = await Promise.all([
          either(round).transaction((tx) => removeMethod(tx, customer, id, management, at())),
          either(round + 1).transaction((tx) => enrollIn(tx, home, id)),
        ]);
        expect(removed.ok).not.toBe(enrolled.ok);
      }
    });
  });
}
