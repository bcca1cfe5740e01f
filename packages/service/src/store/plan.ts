/** Lists the statements that a migration would run and their locks. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Connection } from '../platform/databases/connection.js';
import { schemaVersion } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { createIndex } from './migrations/migration.js';

export interface PlannedStatement {
  readonly migration: number;
  readonly text: string;
  readonly locks: string;
}

/** Reads the schema version, and writes nothing. */
export async function planMigration(connection: Connection): Promise<PlannedStatement[]> {
  const { engine } = connection;
  const version = await schemaVersion(connection);
  const planned: PlannedStatement[] = [];
  for (const [place, migration] of MIGRATIONS.entries()) {
    if (place < version) continue;

    const texts =
      typeof migration === 'function'
        ? await statementsOf(engine, migration)
        : [createIndex(migration, engine === 'postgres')];
    for (const text of texts)
      planned.push({ migration: place + 1, text, locks: engine === 'postgres' ? locksOf(text) : ALL });
  }
  return planned;
}

/** The statements of a migration, without running them. */
async function statementsOf(
  engine: Connection['engine'],
  change: (db: Kysely<unknown>) => Promise<void>,
): Promise<string[]> {
  const texts: string[] = [];
  const isPostgres = engine === 'postgres';
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => (isPostgres ? new PostgresIntrospector(of) : new SqliteIntrospector(of)),
      createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
    log: ({ query }) => void texts.push(query.sql.replaceAll(/\s+/g, ' ')),
  });
  await change(db);
  return texts;
}

const ALL = 'the database against writing until all have run';

const POSTGRES: readonly [pattern: RegExp, locks: (table: string) => string][] = [
  [
    /^create index concurrently if not exists \w+ on (\w+)/,
    (table) => `nothing: others read and write ${table} meanwhile`,
  ],
  [/^create (?:unique )?index \w+ on (\w+)/, (table) => `${table} against writing until the index is built`],
  [/^drop index if exists (\w+)/, (index) => `the table of ${index}, for a moment`],
  [/^alter table (\w+) add column/, (table) => `${table}, for a moment`],
  [/^alter table (\w+)/, (table) => `${table}, until its indexes are built again`],
  [/^(?:update|insert into|delete from) (\w+)/, (table) => `the rows of ${table} that it writes`],
  [/^create trigger .*? on (\w+)/, (table) => `${table}, for a moment`],
  [/^create (?:table|function)/, () => 'nothing'],
  [/^select/, () => 'nothing: it reads rows, and may change a few of them'],
];

function locksOf(text: string): string {
  for (const [pattern, locks] of POSTGRES) {
    const found = pattern.exec(text);
    if (found) return locks(found[1] ?? '');
  }
  return 'unknown';
}
