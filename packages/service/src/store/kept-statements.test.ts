import { describe, expect, it } from 'vitest';
import { ask, hasPostgres, sharedPostgres } from '../../test/postgres.js';
import { openDatabase } from './open.js';
import { sqlStore } from './sql-store.js';

describe.runIf(hasPostgres)('R-61 prepared statements on PostgreSQL', () => {
  it('are prepared again after another process changes their table', async () => {
    const postgres = await sharedPostgres();
    const database = await postgres.database();
    const { connection } = await openDatabase(database);
    const store = sqlStore(connection);
    const read = () => store.read((tx) => tx.sessions.get('stg_1'));

    expect(await read()).toBeNull();
    await ask(database, 'alter table sessions add column later text');
    expect(await read()).toBeNull();

    await store.close();
    await postgres.stop();
  });

  it('work on the same connection after their first use failed, and what was sent with them is undone', async () => {
    const postgres = await sharedPostgres();
    const { connection } = await openDatabase(await postgres.database(), { poolSize: 1 });
    const store = sqlStore(connection);
    const customer = { id: 'cus_1', businessUnit: 'shop', emailAddress: 'ada@example.com' };
    const account = {
      id: 'acc_1',
      businessUnit: 'shop',
      accountNumber: '1',
      subAccountNumber: '',
      fields: {},
    };
    const associate = (withAccount: boolean) =>
      store.transaction(async (tx) => {
        await tx.customers.insert(customer);
        if (withAccount) await tx.accounts.insert(account);
        await tx.customers.associate('cus_1', 'acc_1');
        await tx.meta.set('probed', 'later');
      });

    await expect(associate(false)).rejects.toThrow(/account/);
    expect(await store.read((tx) => tx.customers.get('cus_1'))).toBeNull();
    await associate(true);
    expect(await store.read((tx) => tx.customers.ofAccount('acc_1'))).toMatchObject([{ id: 'cus_1' }]);

    await store.close();
    await postgres.stop();
  });
});
