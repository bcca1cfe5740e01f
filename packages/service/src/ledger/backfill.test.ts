/** Processes of release 0.3 next to this release. Their writes are repeated here, without what 0.3 doesn't know. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type Transaction } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advanceTo } from '../../test/advance-to.js';
import { describeOn, startEngines } from '../../test/engines.js';
import { config, CUSTOMER, SLUG } from '../../test/merchant.js';
import { asMerchant, BANK, CARD, open } from '../../test/payer.js';
import { connect } from '../platform/databases/connect.js';
import type { Tables } from '../platform/databases/tables.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import type { PaymentProcessor } from '../processor/rules/port.js';
import { settleRefund } from '../refunds/begin-refund.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import type { AutopayPageSession, NotificationsPageSession, SchedulePageSession } from '../shared/page.js';

const DAY_MS = 86_400_000;
const DUE = '2027-03-10';
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-backfill-'));
afterAll(() => rmSync(folder, { recursive: true }));
const engines = startEngines(() => join(folder, `${randomUUID()}.db`));

describeOn(engines)('next to release 0.3 on %s', (_, newDatabase) => {
  let database: string;
  let service: OpenTestService;
  let charges: number[];
  let outcome: 'succeeded' | 'pending' | 'declined';

  beforeEach(async () => {
    charges = [];
    outcome = 'succeeded';
    const processor: PaymentProcessor = {
      tokenize: async () => ({ token: 'tok', last4: '4242', fingerprint: 'fp' }),
      charge: async ({ amount }) => {
        charges.push(amount);
        return outcome;
      },
      lookup: async () => outcome,
      refund: async () => 'succeeded',
    };
    database = await newDatabase();
    service = await startTestService({ database, processor, config: config() });
    await advanceTo(service, '2027-03-01T12:00:00Z');
  });
  afterEach(() => service.close());

  /** Writes like a process of release 0.3. */
  async function older(work: (tx: Transaction<Tables>) => Promise<unknown>): Promise<void> {
    const connection = await connect(database);
    await connection.transaction(work, { mode: 'write' });
    await connection.close();
  }

  const forgetAll = (tx: Transaction<Tables>) =>
    Promise.all([
      tx.deleteFrom('account_payments').execute(),
      tx.deleteFrom('ledger').execute(),
      tx.updateTable('attempts').set({ booked: null }).execute(),
    ]);

  const bill = (Balance: number, DueDate: string) => ({
    ClientAccount: { AccountNumber: '1001', Name: 'Ada', Balance, DueDate },
    SyncAccount: true,
  });

  async function enroll(due = DUE): Promise<string> {
    const page = await open(service.fetch, 'autopay', bill(5_000, due));
    const { id: methodId } = await page.addMethod();
    await page.post('autopay/enroll', { methodId, authorization: 'I agree.' });
    return methodId;
  }

  const pay = async (source = CARD as typeof CARD | typeof BANK, due = DUE): Promise<void> => {
    const { ClientAccount } = bill(5_000, due);
    const page = await open(service.fetch, 'payment', { Charges: [{ Amount: 5_000, ClientAccount }] });
    await page.pay({ source, charges: [{ index: 0, amount: 5_000 }] });
  };

  const next = async () => {
    const { fetch } = service;
    const page = await open(fetch, 'autopay', {
      ClientAccount: { AccountNumber: '1001' },
      SyncAccount: false,
    });
    return (await page.get<AutopayPageSession>()).enrollment?.next;
  };

  it('R-106 deducts a payment that 0.3 took', async () => {
    await enroll();
    await pay();
    await older(forgetAll);
    await advanceTo(service, '2027-03-10T00:00:00Z');
    await advanceTo(service, '2027-03-13T00:00:00Z');
    expect(charges).toEqual([5_000]);
  });

  it('R-106 waits for a bank payment that 0.3 began, and charges after it is declined', async () => {
    await enroll();
    outcome = 'pending';
    await pay(BANK);
    await older(forgetAll);
    await older((tx) =>
      tx
        .updateTable('attempts')
        .set({ status: 'processing', answered_at: null, due_at: Date.parse('2027-03-11') })
        .execute(),
    );
    await advanceTo(service, '2027-03-10T12:00:00Z');
    expect(charges).toEqual([5_000]);
    outcome = 'declined';
    await advanceTo(service, '2027-03-11T00:01:00Z');
    outcome = 'succeeded';
    await advanceTo(service, '2027-03-11T12:00:00Z');
    expect(charges).toEqual([5_000, 5_000]);
  });

  it('R-106 deducts a payment that 0.3 began and this release settles before the backfill', async () => {
    await enroll();
    outcome = 'pending';
    await pay(BANK);
    await older(forgetAll);
    await older((tx) =>
      tx.updateTable('attempts').set({ status: 'processing', answered_at: null, due_at: 0 }).execute(),
    );
    outcome = 'succeeded';
    await advanceTo(service, '2027-03-10T12:00:00Z');
    expect(charges).toEqual([5_000]);
  });

  it('R-106 deducts a scheduled payment that 0.3 executed', async () => {
    const methodId = await enroll();
    const page = await open(service.fetch, 'schedule-payment', bill(5_000, DUE));
    await page.get<SchedulePageSession>();
    await page.schedule({ amount: 5_000, date: '2027-03-05', methodId });
    await advanceTo(service, '2027-03-05T01:00:00Z');
    expect(charges).toEqual([5_000]);
    await older(forgetAll);
    await advanceTo(service, '2027-03-13T00:00:00Z');
    expect(charges).toEqual([5_000]);
  });

  describe('a bill that was synced before the upgrade', () => {
    const beforeUpgrade = (balance = 5_000, due = DUE) =>
      older(async (tx) => {
        await forgetAll(tx);
        const fields = JSON.stringify({ Name: 'Ada', Balance: balance, DueDate: due });
        await tx.updateTable('accounts').set({ fields }).execute();
        // Triggers of the new schema didn't exist then.
        await tx.updateTable('accounts').set({ billed_at: null, bill: null }).execute();
      });
    const sync = (balance = 5_000, due = DUE) => open(service.fetch, 'autopay', bill(balance, due));

    it.each(['before', 'after'])(
      'R-106 is paid by a payment that 0.3 took, if it is synced again %s the backfill',
      async (order) => {
        await enroll();
        await pay();
        await beforeUpgrade();
        if (order === 'after') await advanceTo(service, '2027-03-02T12:00:00Z');
        await sync();
        await advanceTo(service, '2027-03-13T00:00:00Z');
        expect(charges).toEqual([5_000]);
        expect(await next()).toBeUndefined();
      },
    );

    it('R-106 is paid by a charge of the merchant’s, but not by that of the last bill', async () => {
      await enroll();
      const charge = (Amount: number) =>
        asMerchant(service.fetch, '/integrations/autopay/charge', {
          BusinessUnitSlug: SLUG,
          AccountNumber: '1001',
          Amount,
          ClientReference: `${Amount}`,
        });
      expect((await charge(3_000)).status).toBe(200);
      await older((tx) =>
        tx
          .updateTable('attempts')
          .set({ answered_at: Date.parse('2027-02-10T01:00:00Z') })
          .execute(),
      );
      await charge(1_000);
      await beforeUpgrade();
      await advanceTo(service, '2027-03-02T12:00:00Z');
      await sync();
      await advanceTo(service, DUE);
      expect(charges).toEqual([3_000, 1_000, 4_000]);
    });

    it.each(['before', 'after'])(
      'R-106 excludes a payment made before the balance was lowered, if it is synced again %s the backfill',
      async (order) => {
        await enroll();
        await pay();
        await beforeUpgrade(2_000);
        if (order === 'after') await advanceTo(service, '2027-03-02T12:00:00Z');
        await sync(2_000);
        await advanceTo(service, '2027-03-13T00:00:00Z');
        expect(charges).toEqual([5_000, 2_000]);
      },
    );

    it('R-106 is not paid by a late payment of the last bill, which had the same balance', async () => {
      await enroll();
      await pay(CARD, '2027-02-10');
      const late = Date.parse('2027-02-13T12:00:00Z');
      await older((tx) => tx.updateTable('attempts').set({ answered_at: late, created_at: late }).execute());
      await beforeUpgrade();
      await advanceTo(service, '2027-03-02T12:00:00Z');
      await sync();
      await advanceTo(service, DUE);
      expect(charges).toEqual([5_000, 5_000]);
    });

    it('R-106 is paid by an early payment of a bill that is due in a month', async () => {
      const due = '2027-03-31';
      await enroll(due);
      await pay(CARD, due);
      await beforeUpgrade(5_000, due);
      await sync(5_000, due);
      await advanceTo(service, '2027-04-01T12:00:00Z');
      expect(charges).toEqual([5_000]);
    });
  });

  it('R-106 treats a card payment as paid if a process of 0.3 records its dispute', async () => {
    await enroll();
    await pay();
    await older((tx) =>
      tx.updateTable('attempts').set({ status: 'returned', reason: 'fraudulent' }).execute(),
    );
    await advanceTo(service, '2027-03-13T00:00:00Z');
    expect(charges).toEqual([5_000]);
  });

  it('R-106 charges a bill that 0.3 synced on its own due date, and the page says so', async () => {
    await enroll();
    await pay();
    await older((tx) =>
      tx
        .updateTable('accounts')
        .set({ fields: JSON.stringify({ Name: 'Ada', Balance: 7_000, DueDate: '2027-03-25' }) })
        .execute(),
    );
    expect(await next()).toEqual({ amount: 7_000, date: '2027-03-25' });
    await advanceTo(service, '2027-03-24T23:59:00Z');
    expect(charges).toEqual([5_000]);
    await advanceTo(service, '2027-03-25T00:00:00Z');
    expect(charges).toEqual([5_000, 7_000]);
  });

  it('R-106 charges an account that 0.3 created and enrolled', async () => {
    await enroll();
    await older(async (tx) => {
      const fields = JSON.stringify({ Name: 'Bob', Balance: 900, DueDate: DUE });
      await sql`insert into accounts (id, business_unit, account_number, sub_account_number, fields)
        values ('acc_2', ${SLUG}, '1002', '', ${fields})`.execute(tx);
      await sql`insert into autopay (account_id, business_unit, customer_id, method_id, session_id, enrolled_at)
        select 'acc_2', business_unit, customer_id, method_id, session_id, enrolled_at from autopay`.execute(
        tx,
      );
    });
    await advanceTo(service, '2027-03-10T00:00:00Z');
    expect(charges.toSorted((a, b) => a - b)).toEqual([900, 5_000]);
  });

  it('R-104 keeps reminders off after 0.3 saves preferences without them', async () => {
    const page = await open(service.fetch, 'notifications', CUSTOMER);
    const reminders = async () =>
      (await page.get<NotificationsPageSession>()).preferences.kinds['autopay-reminder'];
    await page.post('notifications', { kinds: { 'autopay-reminder': { email: false, sms: false } } });
    const { 'autopay-reminder': _reminder, ...kinds } = DEFAULT_PREFERENCES.kinds;
    const preferences = JSON.stringify({ kinds });
    await older((tx) => tx.updateTable('notification_preferences').set({ preferences }).execute());
    expect(await reminders()).toEqual({ email: false, sms: false });
    await page.post('notifications', { kinds: { 'autopay-reminder': { email: true, sms: false } } });
    expect(await reminders()).toEqual({ email: true, sms: false });
  });

  it('R-98 books nothing for a refund that 0.3 settled and that failed later', async () => {
    await pay();
    const { store, clock, newId, config: current } = service.deps;
    const [payment] = await store.read((tx) => tx.attempts.list(SLUG));
    await asMerchant(service.fetch, '/integrations/payments/refund', { PaymentIdentifier: payment?.id });
    await older(async (tx) => {
      await tx.deleteFrom('ledger').where('type', '=', 'refund').execute();
      await tx.updateTable('refunds').set({ booked: null }).execute();
    });
    await store.transaction(async (tx) => {
      const [refund] = await tx.refunds.list(SLUG);
      const settling = { id: refund?.id ?? '', sessionId: payment?.sessionId ?? '' };
      return settleRefund(tx, settling, { outcome: 'failed' }, { now: clock.now(), newId, config: current });
    });
    await service.control.advance(DAY_MS);
    const booked = await store.read((tx) => tx.ledger.ofPayment(payment?.id ?? ''));
    expect(booked.map(({ type, amount }) => [type, amount])).toEqual([['payment', 5_000]]);
    expect(await store.read((tx) => tx.attempts.list(SLUG))).toMatchObject([{ refunded: 0 }]);
  });

  it('R-93 blocks an account whose return 0.3 recorded', async () => {
    outcome = 'pending';
    await pay(BANK);
    await older((tx) =>
      tx.updateTable('attempts').set({ status: 'returned', reason: 'R03', due_at: null }).execute(),
    );
    await service.control.advance(DAY_MS);
    await expect(pay(BANK)).rejects.toMatchObject({ status: 400 });
  });
});
