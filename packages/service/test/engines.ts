/** The engines that a test runs on: libsql, and PostgreSQL where it is installed. */
import { afterAll, beforeAll } from 'vitest';
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
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  // What failed to start is told by the start alone.
  afterAll(() => postgres?.stop());
  return [...engines, ['PostgreSQL', () => postgres!.database()]];
}
