import { MovableClock } from '../platform/clock.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, it } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { config } from '../../test/merchant.js';
import { asMerchant, CARD, open, query } from '../../test/payer.js';
import type { Store } from '../core/store.js';
import { sweep } from '../jobs/sweep.js';
import { connect } from '../platform/databases/connect.js';
import { ItemRunner } from '../platform/item-runner.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { trimSessions } from './trim.js';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-trim-'));
afterAll(() => rmSync(folder, { recursive: true }));

let service: OpenTestService;
let database: string;
afterEach(() => service.close());

const ClientAccount = { AccountNumber: '1001', SubAccountNumber: '7', Name: 'Zelda Quixley', Balance: 100 };
const REQUEST = {
  ClientReference: 'invoice-1',
  CustomMeta: { batch: 12 },
  ClientUser: { EmailAddress: 'zelda@example.com', FirstName: 'Zelda', LastName: 'Quixley' },
  Charges: [{ Amount: 4_200, Description: 'Water', CustomMeta: { line: 1 }, ClientAccount }],
};

async function rows(text: string): Promise<Record<string, unknown>[]> {
  const connection = await connect(database);
  const found = await connection.transaction((tx) => sql.raw<Record<string, unknown>>(text).execute(tx), {
    mode: text.startsWith('select') ? 'read' : 'write',
  });
  await connection.close();
  return found.rows;
}

/** All sessions' requests, oldest first. */
async function requests(): Promise<string[]> {
  return (await rows('select request from sessions order by id')).map(({ request }) => String(request));
}

async function pay(changes: Record<string, unknown> = {}): Promise<string> {
  const page = await open(service.fetch, 'payment', { ...REQUEST, ...changes });
  await page.pay({ charges: [{ index: 0, amount: 4_200 }] });
  return page.id;
}

describeOn(startEngines(() => join(folder, `${randomUUID()}.db`)))('on %s', (engine, newDatabase) => {
  it('R-55 keeps what the query returns of sessions older than 90 days, without names and addresses', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    const id = await pay();
    const before = await query(service.fetch, id);
    await service.control.advance(89 * DAY_MS);
    const nextBill = { ...ClientAccount, Balance: 90 };
    const young = await pay({
      ClientReference: 'invoice-2',
      Charges: [{ ...REQUEST.Charges[0], ClientAccount: nextBill }],
    });
    await service.control.advance(2 * DAY_MS);

    expect(await query(service.fetch, id)).toEqual(before);
    const requests = new Map(
      (await rows('select id, request from sessions')).map((row) => [row['id'], String(row['request'])]),
    );
    expect(requests.get(id)).not.toMatch(/zelda/i);
    expect(requests.get(young)).toMatch(/zelda/i);
    expect(await rows('select attempt_id from account_payments')).toHaveLength(1);
    const { Payments } = await query<{ Payments: { Id: string }[] }>(service.fetch, id);
    const input = { PaymentIdentifier: Payments[0]?.Id, Amount: 4_200 };
    const refunded = await asMerchant(service.fetch, '/integrations/payments/refund', input);
    expect(await refunded.json()).toMatchObject({ data: { Status: 'succeeded' } });
  });

  it('R-103 trims sessions of every flow and status', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    await open(service.fetch, 'payment', REQUEST);
    await open(service.fetch, 'autopay', {
      ClientUser: REQUEST.ClientUser,
      ClientAccount,
      SyncAccount: true,
    });
    await open(service.fetch, 'wallet', { ClientUser: REQUEST.ClientUser });
    const { store, clock } = service.deps;
    await store.transaction((tx) => trimSessions(tx, clock.now() + 91 * DAY_MS, 100));
    const trimmed = await requests();
    expect(trimmed.filter((request) => /zelda/i.test(request))).toEqual([]);
    // Sessions of one millisecond are in no order.
    const accounts = trimmed.flatMap((request) => JSON.parse(request).ClientAccount ?? []);
    expect(accounts).toMatchObject([{ AccountNumber: '1001', SubAccountNumber: '7' }]);
  });

  it('trims every session with two concurrent processes', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    for (let count = 0; count < 6; count++) await pay({ ClientReference: `invoice-${count}` });
    const other = await startTestService({ config: config(), database });
    const late = service.deps.clock.now() + 91 * DAY_MS;
    const trimAll = async ({ deps: { store } }: OpenTestService): Promise<void> => {
      while ((await store.transaction((tx) => trimSessions(tx, late, 1))) > 0);
    };
    await Promise.all([trimAll(service), trimAll(other)]);
    await other.close();
    expect((await requests()).filter((request) => /zelda/i.test(request))).toEqual([]);
  });

  it('resumes where it stopped', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    for (const ClientReference of ['a', 'b', 'c']) await pay({ ClientReference });
    const { store, clock } = service.deps;
    const trim = (days: number) =>
      store.transaction((tx) => trimSessions(tx, clock.now() + days * DAY_MS, 2));
    expect([await trim(89), await trim(91), await trim(91), await trim(91)]).toEqual([0, 2, 1, 0]);
    expect((await requests()).filter((request) => /zelda/i.test(request))).toEqual([]);
  });

  it('R-103 erases payer data that release 0.3 kept in payments and methods', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    const id = await pay();
    const wallet = await open(service.fetch, 'wallet', { ClientUser: REQUEST.ClientUser });
    const removed = await wallet.addMethod(CARD);
    await wallet.addMethod({ ...CARD, cardNumber: '5555555555554444' });
    await wallet.post(`methods/${removed.id}/remove`);
    for (const table of ['attempts', 'methods']) await rows(`update ${table} set forget_at = null`);
    const tokens = (): Promise<Record<string, unknown>[]> =>
      rows('select token from methods order by created_at, id');
    await service.control.advance(89 * DAY_MS);
    expect(JSON.stringify(await rows('select source from attempts'))).toContain('Ada Byron');

    await service.control.advance(2 * DAY_MS);
    await service.control.advance(1_000);
    const [attempt] = await service.deps.store.read((tx) => tx.attempts.ofSession(id));
    expect(attempt?.source).toMatchObject({ token: '', holder: '', last4: '4242' });
    expect(await tokens()).toEqual([{ token: '' }, { token: expect.stringMatching(/./) }]);
  });

  it('R-91 R-103 erases payer data of release 0.3 a hundred payments per transaction', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    await pay();
    await rows(`update attempts set forget_at = null`);
    const [one = {}] = await rows('select * from attempts');
    const columns = Object.keys(one).filter((name) => name !== 'id' && name !== 'request_id');
    const numbers = Array.from({ length: 249 }, (_, number) => `(${number})`).join();
    await rows(`insert into attempts (id, request_id, ${columns.join()})
      select 'pay_' || number, 'r' || number, ${columns.join()}
      from attempts, (with numbers (number) as (values ${numbers}) select number from numbers) as added`);

    const { deps } = service;
    const erasing = `select count(*) as count from attempts where forget_at is not null`;
    const changed: number[] = [];
    let known = 0;
    const transaction: Store['transaction'] = async (work, options) => {
      const result = await deps.store.transaction(work, options);
      const found = Number((await rows(erasing))[0]?.['count']);
      if (found > known) changed.push(found - known);
      known = found;
      return result;
    };
    const store = { ...deps.store, transaction };
    const clock = new MovableClock();
    clock.offset = 91 * DAY_MS;
    await sweep({ ...deps, store, clock }, new ItemRunner(deps, 'sweep'), new AbortController().signal);
    expect(changed).toEqual([100, 100, 50]);
  });

  // The rest does not depend on the engine.
  if (engine === 'PostgreSQL') return;

  it('R-106 keeps payments made since the last balance sync', async () => {
    database = await newDatabase();
    service = await startTestService({ config: config(), database });
    const sync = (Balance: number) =>
      open(service.fetch, 'autopay', { ClientAccount: { ...ClientAccount, Balance }, SyncAccount: true });
    await sync(4_200);
    await service.control.advance(60_000);
    await pay();
    await service.control.advance(91 * DAY_MS);
    expect(await rows('select amount from account_payments')).toHaveLength(1);
    await sync(4_200);
    expect(await rows('select amount from account_payments')).toEqual([]);
  });
});
