/** The contract of storage engines. `sql-engines.test.ts` runs it on each engine. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PaymentSession, Session } from '../src/sessions/rules/session.js';
import type { Store } from '../src/core/store.js';
import { runInContext } from '../src/platform/context.js';
import { requestBytesOf } from '../src/sessions/store.js';

export interface Opened {
  /** A store on an empty database. */
  readonly store: Store;
  /** Another connection to the same database, like another process; absent if the engine can't have one. */
  readonly other?: Store;
  close(): Promise<void>;
}

let count = 0;

const session = (fields: Partial<PaymentSession> = {}): PaymentSession => ({
  id: `stg_${String(++count).padStart(6, '0')}`,
  businessUnit: 'water',
  flow: 'payment',
  status: 'RequiresPaymentSource',
  secretKeyId: 'k1',
  createdAt: 1_000,
  expiresAt: 2_000,
  declines: 0,
  request: { BusinessUnitSlug: 'water', Channel: 'QuickPay', Charges: [{ Amount: 100 }] },
  ...fields,
});

const withReference = (ClientReference: string): PaymentSession => {
  const plain = session();
  return { ...plain, request: { ...plain.request, ClientReference } };
};

const account = (accountNumber: string, subAccountNumber = '') => ({
  id: `acc_${++count}`,
  businessUnit: 'water',
  accountNumber,
  subAccountNumber,
  fields: { Name: 'Ada Byron', Balance: -5 },
  billedAt: 1_000,
  bill: { Balance: -5 },
});

const customer = (emailAddress: string) => ({ id: `cus_${++count}`, businessUnit: 'water', emailAddress });

export function describeStore(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
    });
    beforeEach(() => {
      store = opened.store;
    });
    afterAll(() => opened.close());

    it('D-9 rolls back a transaction that throws', async () => {
      const refused = session();
      const work = store.transaction(async (tx) => {
        await tx.sessions.insert(refused);
        await tx.accounts.insert(account('refused'));
        throw new Error('refused');
      });
      await expect(work).rejects.toThrow('refused');
      await store.transaction(async (tx) => {
        expect(await tx.sessions.get(refused.id)).toBeNull();
        expect(await tx.accounts.find('water', 'refused', '')).toBeNull();
      });
    });

    it('D-9 rejects references to missing rows', async () => {
      const lost = store.transaction((tx) => tx.customers.associate('cus_of_nobody', 'acc_of_nobody'));
      await expect(lost).rejects.toThrow(/foreign key/i);
      const ofNobody = session({ customerId: 'cus_of_nobody' });
      await expect(store.transaction((tx) => tx.sessions.insert(ofNobody))).rejects.toThrow(/foreign key/i);
    });

    it('D-1 distinguishes accounts by number, sub-account number and business unit', async () => {
      const [plain, sub] = [account('1001'), account('1001', '01')];
      await store.transaction(async (tx) => {
        await tx.accounts.insert(plain);
        await tx.accounts.insert(sub);
        await tx.accounts.update({ ...sub, fields: { Name: 'A\u0000\u{1f600}\'"; drop' } });
      });
      await store.transaction(async (tx) => {
        expect(await tx.accounts.find('water', '1001', '')).toEqual(plain);
        expect(await tx.accounts.get(sub.id)).toEqual({
          ...sub,
          fields: { Name: 'A\u0000\u{1f600}\'"; drop' },
        });
        expect(await tx.accounts.find('gas', '1001', '')).toBeNull();
      });
    });

    it('D-6 finds a customer by e-mail address in any case, and associates it once', async () => {
      const [ada, home] = [customer('Ada@Example.com'), account('home')];
      await store.transaction(async (tx) => {
        await tx.customers.insert(ada);
        await tx.accounts.insert(home);
        await tx.customers.associate(ada.id, home.id);
        await tx.customers.associate(ada.id, home.id);
      });
      await store.transaction(async (tx) => {
        expect(await tx.customers.find('water', ' aDA@example.COM ')).toEqual(ada);
        expect(await tx.customers.ofAccount(home.id)).toEqual([ada]);
        expect(await tx.customers.isAssociated(ada.id, home.id)).toBe(true);
        expect(await tx.customers.isAssociated('another', home.id)).toBe(false);
        expect(await tx.customers.isAssociated(ada.id, 'another')).toBe(false);
        await tx.customers.update({ ...ada, emailAddress: 'countess@example.com', firstName: 'Ada' });
        expect(await tx.customers.find('water', 'ada@example.com')).toBeNull();
        expect(await tx.customers.get(ada.id)).toMatchObject({ firstName: 'Ada' });
      });
    });

    it('returns a session as stored, including money and metadata', async () => {
      const meta = { deep: { list: [1, null, 'ü\u0000\ud800'] }, big: Number.MAX_SAFE_INTEGER };
      const plain = session({ createdAt: 1_795_000_000_000, expiresAt: 1_795_001_800_000 });
      const stored: Session = { ...plain, request: { ...plain.request, CustomMeta: meta } };
      await store.transaction((tx) => tx.sessions.insert(stored));
      const found = await store.transaction((tx) => tx.sessions.get(stored.id));
      expect(found).toEqual(stored);
    });

    it('R-90 lists the newest sessions and messages, and the messages of a session', async () => {
      const units = ['latest-a', 'latest-b', 'latest-c'];
      const rows = units.map((businessUnit, at) => session({ id: `stg_latest_${at}`, businessUnit }));
      await store.transaction(async (tx) => {
        for (const [at, row] of rows.entries()) {
          const { id: sessionId, businessUnit } = row;
          const type = 'session.expired' as const;
          const times = {
            createdAt: at,
            dueAt: at,
            leasedUntil: 0,
            attempts: 0,
            status: 'delivered' as const,
          };
          await tx.sessions.insert(row);
          const message = { businessUnit, type, body: '{}', sessionId, ...times };
          await tx.outbox.insert({ id: `msg_${at}`, ...message });
          await tx.outbox.insert({ id: `msg_${at}_later`, ...message, createdAt: at + 1 });
        }
        const [a] = rows;
        // Other tests may have stored newer rows.
        const ofUnits = (latest: readonly { id: string; businessUnit: string }[]) =>
          latest.filter(({ businessUnit }) => units.includes(businessUnit)).map(({ id }) => id);
        expect(ofUnits(await tx.sessions.latest(1_000))).toEqual([
          'stg_latest_2',
          'stg_latest_1',
          'stg_latest_0',
        ]);
        expect(ofUnits(await tx.outbox.latest(1_000))).toEqual([
          'msg_2_later',
          'msg_2',
          'msg_1_later',
          'msg_1',
          'msg_0_later',
          'msg_0',
        ]);
        expect(await tx.sessions.latest(2)).toHaveLength(2);
        expect(await tx.outbox.latest(2)).toHaveLength(2);
        const ofSession = async (businessUnit: string, limit: number) =>
          (await tx.outbox.ofSession(businessUnit, a?.id ?? '', limit)).map(({ id }) => id);
        expect(await ofSession('latest-a', 1)).toEqual(['msg_0_later']);
        expect(await ofSession('latest-b', 1)).toEqual([]);
        expect(await ofSession('latest-a', 2)).toEqual(['msg_0', 'msg_0_later']);
      });
    });

    it('finds due rows, and the session keys in use', async () => {
      const late = session({ createdAt: 50, expiresAt: 100, secretKeyId: 'old' });
      const paid = session({ expiresAt: 100, status: 'Succeeded' });
      await store.transaction(async (tx) => {
        await tx.sessions.insert(late);
        await tx.sessions.insert(paid);
        expect((await tx.sessions.due(100, 10)).map(({ id }) => id)).toEqual([late.id]);
        expect(await tx.sessions.due(99, 10)).toEqual([]);
        expect(await tx.sessions.secretKeyIds(['stg_'], 1_000)).toContain('old');
        expect(await tx.sessions.secretKeyIds([late.id], 1_000)).not.toContain('old');
        await tx.sessions.update({ ...late, status: 'Expired' });
        expect(await tx.sessions.due(100, 10)).toEqual([]);
      });
    });

    it('R-67 reads a bounded number of sessions to find which session keys are in use', async () => {
      await store.transaction(async (tx) => {
        for (const number of [1, 2, 3, 4, 5])
          await tx.sessions.insert(session({ id: `stg_zz_${number}`, secretKeyId: `key-${number}` }));
        const used = async (after: readonly [number, ...number[]], newest: number): Promise<string[]> => {
          const [first, ...others] = after.map((number) => `stg_zz_${number}`);
          return (await tx.sessions.secretKeyIds([first ?? '', ...others], newest)).toSorted();
        };
        expect(await used([0], 9)).toEqual(['key-1', 'key-2', 'key-3', 'key-4', 'key-5']);
        expect(await used([1], 9)).toEqual(['key-2', 'key-3', 'key-4', 'key-5']);
        expect(await used([0], 1)).toEqual(['key-1', 'key-5']);
        expect(await used([0, 2], 1)).toEqual(['key-1', 'key-3', 'key-5']);
        expect(await used([5], 9)).toEqual([]);
      });
    });

    it('R-58 finds a response by caller, endpoint and key until it expires', async () => {
      const stored = {
        apiKey: 'a',
        endpoint: '/e',
        idempotencyKey: 'k',
        bodyHash: 'h',
        answer: '{}',
        expiresAt: 100,
      };
      await store.transaction(async (tx) => {
        // Rows left by other tests would be counted.
        await tx.idempotency.deleteExpired(Number.MAX_SAFE_INTEGER, 1_000);
        await tx.idempotency.put(stored);
        await tx.idempotency.put({ ...stored, bodyHash: 'h2', expiresAt: 200 });
        expect(await tx.idempotency.find('a', '/e', 'k')).toEqual({
          ...stored,
          bodyHash: 'h2',
          expiresAt: 200,
        });
        expect(await tx.idempotency.find('b', '/e', 'k')).toBeNull();
        expect(await tx.idempotency.deleteExpired(199, 10)).toBe(0);
        expect(await tx.idempotency.find('a', '/e', 'k')).not.toBeNull();
        expect(await tx.idempotency.deleteExpired(200, 10)).toBe(1);
        expect(await tx.idempotency.find('a', '/e', 'k')).toBeNull();
      });
    });

    it('R-58 deletes only expired responses, in batches', async () => {
      const stored = { apiKey: 'p', endpoint: '/e', bodyHash: 'h', answer: '{}' };
      await store.transaction(async (tx) => {
        await tx.idempotency.deleteExpired(Number.MAX_SAFE_INTEGER, 1_000);
        for (const [index, expiresAt] of [1, 1, 1, 9].entries())
          await tx.idempotency.put({ ...stored, idempotencyKey: `k${index}`, expiresAt });
        expect(await tx.idempotency.deleteExpired(5, 2)).toBe(2);
        expect(await tx.idempotency.deleteExpired(5, 2)).toBe(1);
        expect(await tx.idempotency.deleteExpired(5, 2)).toBe(0);
        expect(await tx.idempotency.find('p', '/e', 'k3')).not.toBeNull();
      });
    });

    it('R-50 lists keys until they are revoked', async () => {
      const key = { id: 'key_1', hash: 'sha256:00', businessUnits: ['water'], createdAt: 5 };
      await store.transaction(async (tx) => {
        await tx.keys.insert(key);
        expect(await tx.keys.active()).toEqual([key]);
        expect(await tx.keys.revoke('key_1', 6)).toBe(true);
        expect(await tx.keys.revoke('key_1', 7)).toBe(false);
        expect(await tx.keys.active()).toEqual([]);
      });
    });

    it('remembers facts of the database', async () => {
      await store.transaction(async (tx) => {
        expect(await tx.meta.get('clock-offset')).toBeNull();
        await tx.meta.set('clock-offset', '1');
        await tx.meta.set('clock-offset', '2');
      });
      expect(await store.transaction((tx) => tx.meta.get('clock-offset'))).toBe('2');
    });

    it('loses no update from twenty concurrent writers of one row', async () => {
      const row = session();
      await store.transaction((tx) => tx.sessions.insert(row));
      const stores = opened.other ? [store, opened.other] : [store];
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (stores[index % stores.length] ?? store).transaction(async (tx) => {
            const found = await tx.sessions.get(row.id);
            if (found === null) throw new Error('the row is gone');
            await tx.sessions.update({ ...found, declines: found.declines + 1 });
          }),
        ),
      );
      expect(await store.transaction((tx) => tx.sessions.get(row.id))).toMatchObject({ declines: 20 });
    });

    it('queues two hundred writers of one row without exhausting their retries', async () => {
      const written = account('wanted-by-all');
      await store.transaction((tx) => tx.accounts.insert(written));
      let runs = 0;
      const write = (turn: number): Promise<void> =>
        store.transaction(async (tx) => {
          runs += 1;
          const found = await tx.accounts.find('water', written.accountNumber, '');
          if (found) await tx.accounts.update({ ...found, fields: { ...found.fields, Balance: turn } });
        });
      await Promise.all(Array.from({ length: 200 }, (_, turn) => write(turn)));
      // Each writer may lose its first try and one retry, although the pool runs ten concurrently.
      expect(runs).toBeLessThan(600);
    });

    it('R-91 reads only the size of a large request if asked to peek', async () => {
      const small = session();
      const { request } = small;
      const large = session({ request: { ...request, CustomMeta: { text: 'é'.repeat(20_000) } } });
      await store.transaction(async (tx) => {
        for (const each of [small, large]) await tx.sessions.insert(each);
      });
      const peek = ({ id }: PaymentSession) => store.read((tx) => tx.sessions.peek(id));
      expect(await peek(small)).toEqual(small);
      const { request: _, ...head } = large;
      const peeked = await peek(large);
      expect(peeked).toEqual({ ...head, request: {} });
      expect(requestBytesOf(peeked as Session)).toBe(Buffer.byteLength(JSON.stringify(large.request)));
    });

    it('R-91 runs the changes of one page session one after another, so that none is repeated', async () => {
      const changed = session();
      await store.transaction((tx) => tx.sessions.insert(changed));
      let runs = 0;
      const change = (): Promise<void> =>
        store.transaction(async (tx) => {
          runs += 1;
          const found = await tx.sessions.lock(changed);
          await tx.sessions.update({ ...found, declines: found.declines + 1 });
        });
      await runInContext({ log: {}, pageOf: changed.id }, () =>
        Promise.all(Array.from({ length: 40 }, change)),
      );
      expect(runs).toBe(40);
      expect(await store.read((tx) => tx.sessions.get(changed.id))).toMatchObject({ declines: 40 });
    });

    it('R-26 lets one of twenty concurrent writers of a reference win, and shows it to the others', async () => {
      const stores = opened.other ? [store, opened.other] : [store];
      const winners = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (stores[index % stores.length] ?? store).transaction(async (tx) => {
            if (!(await tx.references.take('water', 'invoice-1'))) return null;
            const own = withReference('invoice-1');
            await tx.sessions.insert(own);
            return own.id;
          }),
        ),
      );
      expect(winners.filter((id) => id !== null)).toHaveLength(1);
    });

    it('reads the writes of another connection, even after a busy database', async () => {
      const { other } = opened;
      if (other === undefined) return;
      const [first, second] = [session(), session()];
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const writing = other.transaction(async (tx) => {
        await tx.sessions.insert(first);
        await held;
      });
      // A refused writer calls `Math.random` for its pause.
      const chance = vi.spyOn(Math, 'random');
      const pauses = new Promise<void>((resolve) => {
        chance.mockImplementation(() => {
          resolve();
          return 0.5;
        });
      });
      const waiting = store.transaction((tx) => tx.sessions.insert(second));
      await Promise.race([waiting, pauses]);
      chance.mockRestore();
      release();
      await Promise.all([writing, waiting]);
      expect(await store.transaction((tx) => tx.sessions.get(first.id))).toEqual(first);
      await other.transaction((tx) => tx.sessions.update({ ...first, declines: 3 }));
      expect(await store.transaction((tx) => tx.sessions.get(first.id))).toMatchObject({ declines: 3 });
    });
  });
}
