/** The engines that a test runs on: libsql, and PostgreSQL where it is installed. */
import { afterAll, beforeAll } from 'vitest';
import { hasPostgres, startPostgres } from './postgres.js';
import type { Postgres } from './postgres.js';

export type Engine = readonly [name: string, database: () => Promise<string>];

/**
 * Starts a PostgreSQL for the file that calls it, and stops it at its end.
 * @param libsql where a new embedded database lies
 * @example
 * describe.each(startEngines())('on %s', (_, database) => {
 *   it('…', async () => startTestService({ database: await database() }));
 * });
 */
export function startEngines(libsql: () => string = () => ':memory:'): readonly Engine[] {
  const embedded: Engine = ['libsql', async () => libsql()];
  if (!hasPostgres) return [embedded];
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  return [embedded, ['PostgreSQL', () => postgres.database()]];
}
