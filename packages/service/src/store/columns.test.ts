import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { withSchema } from '../../test/engines.js';
import { ask, hasPostgres, sharedPostgres } from '../../test/postgres.js';
import { connect } from '../platform/databases/connect.js';
import { migrate } from './migrate.js';

const PRIVACY = readFileSync(new URL('../../../../docs/privacy.md', import.meta.url), 'utf8');

it('R-105 docs/privacy.md classifies every column by whether it can identify a person', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  const { rows } = await connection.transaction(
    (tx) =>
      sql<{ column: string }>`select m.name || '.' || p.name as "column" from sqlite_master m
        join pragma_table_info(m.name) p where m.type = 'table'`.execute(tx),
    { mode: 'read' },
  );
  await connection.close();

  const [, section = ''] = PRIVACY.split('## Every column');
  const listed = [...section.matchAll(/^\| `(\w+)` \|(.*)$/gm)].flatMap(([, table, cells = '']) =>
    [...cells.matchAll(/`(\w+)`/g)].map(([, column]) => `${table}.${column}`),
  );
  const known = new Set(rows.map(({ column }) => column));
  expect(listed.filter((column) => known.has(column)).toSorted()).toEqual([...known].toSorted());
});

it.runIf(hasPostgres)(
  'R-91 joins on PostgreSQL can use the indexes of columns that refer to others',
  async () => {
    const postgres = await sharedPostgres();
    const mixed = await ask(
      await withSchema(postgres)(),
      `select conrelid::regclass || '.' || own.attname as name
       from pg_constraint
       join pg_attribute own on own.attrelid = conrelid and own.attnum = any (conkey)
       join pg_attribute other on other.attrelid = confrelid and other.attnum = any (confkey)
       where contype = 'f' and own.attcollation <> other.attcollation`,
    );
    // Of release 0.3. No statement joins it: refunds are found by the payment's id, as a value.
    expect(mixed).toEqual([{ name: 'refunds.attempt_id' }]);
    await postgres.stop();
  },
);
