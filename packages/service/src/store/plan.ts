/** Lists the statements that `migrate` would run. */
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
    planned.push(...texts.map((text) => ({ migration: place + 1, text })));
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
