/** The engines that a test runs on: SQLite, and PostgreSQL if it is installed. */
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../src/store/open.js';
import { hasPostgres, startPostgres } from './postgres.js';
import type { Postgres } from './postgres.js';

export type Engine = readonly [name: string, database: () => Promise<string>];

/**
 * Starts PostgreSQL for the calling test file, and stops it at the end.
 * @param file returns the path of a new embedded database
 * @param only restricts the tests to one engine
 * @example
 * describe.each(startEngines())('on %s', (_, database) => {
 *   it('…', async () => startTestService({ database: await database() }));
 * });
 */
export function startEngines(file: () => string = () => ':memory:', only?: string): readonly Engine[] {
  const engines: Engine[] = [];
  if (only !== 'PostgreSQL') engines.push(['SQLite', async () => file()]);
  if (only === 'SQLite' || !hasPostgres) return engines;
  let postgres: Postgres | undefined;
  let database: () => Promise<string>;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = withSchema(postgres);
  });
  // A failed start has reported its own error.
  afterAll(() => postgres?.stop());
  return [...engines, ['PostgreSQL', () => database()]];
}

/**
 * Creates databases with the current schema. Migrating once and copying takes a quarter of the processor time.
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
