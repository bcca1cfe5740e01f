/** The engines that a test runs on: SQLite, and PostgreSQL if it is installed. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { atEnd } from '../../../tools/at-end.mjs';
import { openDatabase } from '../src/store/open.js';
import { hasPostgres, sharedPostgres, type Postgres } from './postgres.js';

export type Engine = readonly [name: string, database: () => Promise<string>];

/**
 * Databases for the calling test file, which on PostgreSQL are dropped at its end.
 * @param file returns the path of a new embedded database
 * @param only restricts the tests to one engine
 * @example
 * describe.each(startEngines())('on %s', (_, database) => {
 *   it('…', async () => startTestService({ database: await database() }));
 * });
 */
export function startEngines(file: () => string = () => ':memory:', only?: string): readonly Engine[] {
  const engines: Engine[] = [];
  if (only !== 'PostgreSQL') engines.push(['SQLite', () => migratedFile(file())]);
  if (only === 'SQLite' || !hasPostgres) return engines;
  let postgres: Postgres | undefined;
  let database: () => Promise<string>;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    database = withSchema(postgres);
  });
  // A failed start has reported its own error.
  afterAll(() => postgres?.stop());
  return [...engines, ['PostgreSQL', () => database()]];
}

/**
 * Describes tests on each engine, like `describe.each`. The test command runs them on SQLite only, because a test takes
 * ten times the CPU time on PostgreSQL. The storage contract, and the most important concurrent requests, run on both.
 * @example
 * describeOn(startEngines())('on %s', (name, database) => { … });
 */
export const describeOn =
  <D>(engines: readonly (readonly [name: string, database: D])[]) =>
  (title: string, tests: (name: string, database: D) => void): void => {
    for (const [name, database] of engines)
      describe(title.replace('%s', name), { tags: name === 'SQLite' ? [] : ['thorough'] }, () =>
        tests(name, database),
      );
  };

let newFile: Promise<string> | undefined;

/** Puts a database with the current schema at this path. */
async function migratedFile(path: string): Promise<string> {
  const migrate = async (): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-schema-'));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'service.db');
    await (await openDatabase(file)).connection.close();
    return file;
  };
  if (path !== ':memory:') copyFileSync(await (newFile ??= migrate()), path);
  return path;
}

let migrated: Promise<string> | undefined;

/**
 * Creates databases with the current schema on the shared server. Migrating once in a process and copying takes a
 * tenth of the processor time.
 * @example
 * const database = withSchema(postgres);
 * const { connection } = await openDatabase(await database());
 */
export function withSchema(postgres: Postgres): () => Promise<string> {
  const migrate = async (): Promise<string> => {
    const database = await (await sharedPostgres()).database();
    await (await openDatabase(database)).connection.close();
    return database;
  };
  return async () => postgres.database(await (migrated ??= migrate()));
}
