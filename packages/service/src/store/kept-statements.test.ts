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
});
