/** The engines that a test runs on: libsql, and PostgreSQL where it is installed. */
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../src/store/open.js';
import { hasPostgres, startPostgres } from './postgres.js';
import type { Postgres } from './postgres.js';

export type Engine = readonly [name: string, database: () => Promise<string>];

/**
 * Starts a PostgreSQL for the file that calls it, and stops it at its end.
 * @param libsql where a new embedded database lies
 * @param only the one engine that is wanted, by its name
 * @example
 * describe.each(startEngines())('on %s', (_, database) => {
 *   it('…', async () => startTestService({ database: await database() }));
 * });
 */
export function startEngines(libsql: () => string = () => ':memory:', only?: string): readonly Engine[] {
  const engines: Engine[] = [];
  if (only !== 'PostgreSQL') engines.push(['libsql', async () => libsql()]);
  if (only === 'libsql' || !hasPostgres) return engines;
  let postgres: Postgres | undefined;
  let database: () => Promise<string>;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = withSchema(postgres);
  });
  // What failed to start is told by the start alone.
  afterAll(() => postgres?.stop());
  return [...engines, ['PostgreSQL', () => database()]];
}

/**
 * New databases with the schema of today: migrated once and then copied, for a quarter of the processor time.
 * @example
 * const database = withSchema(postgres);
 * const { connection } = await openDatabase(await database());
 */
export function withSchema(postgres: Postgres): () => Promise<string> {
  let migrated: Promise<string> | undefined;
  const migrate = async (): Promise<string> => {
    const database = await postgres.database();
    const { connection } = await openDatabase(database);
    await connection.close();
    return database;
  };
  return async () => postgres.database(await (migrated ??= migrate()));
}
