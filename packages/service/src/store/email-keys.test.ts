import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { describeOn, startEngines } from '../../test/engines.js';
import { openDatabase } from './open.js';
import { emailKeys } from './migrations/email-keys.js';

describeOn(startEngines())('on %s', (_, newDatabase) => {
  it('D-6 finds customers whose address an earlier release case-folded further', async () => {
    const { connection } = await openDatabase(await newDatabase());
    const rows: readonly (readonly [id: string, key: string, address: string])[] = [
      ['plain', 'ada@example.com', 'Ada@example.com'],
      ['umlaut', 'ärger@example.com', 'ÄRGER@Example.com'],
      ['lower', 'übung@example.com', 'übung@example.com'],
      ['came-back', 'Éva@example.com', 'Éva@example.com'],
      ['before', 'éva@example.com', 'Éva@example.com'],
    ];
    const keys = await connection.transaction(
      async (tx) => {
        const db = tx as unknown as Kysely<unknown>;
        for (const [id, key, emailAddress] of rows)
          await sql`insert into customers (id, business_unit, email_key, fields)
            values (${id}, 'unit', ${key}, ${JSON.stringify({ emailAddress })})`.execute(db);
        await emailKeys(db);
        await emailKeys(db);
        return sql<{ id: string; email_key: string }>`select id, email_key from customers`.execute(db);
      },
      { mode: 'migration' },
    );
    expect(Object.fromEntries(keys.rows.map(({ id, email_key }) => [id, email_key]))).toEqual({
      plain: 'ada@example.com',
      umlaut: 'Ärger@example.com',
      lower: 'übung@example.com',
      'came-back': 'Éva@example.com',
      before: 'éva@example.com',
    });
    await connection.close();
  });
});
