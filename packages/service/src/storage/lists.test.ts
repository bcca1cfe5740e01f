import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Transaction,
} from 'kysely';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AttemptFilter } from '../domain/attempt.js';
import { startTestService } from '../run/test-service.js';
import { attempts } from './attempts.js';
import type { Tables } from './tables.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-lists-'));
let database: Database.Database;
beforeAll(async () => {
  const file = join(folder, 'service.db');
  const service = await startTestService({ database: file });
  await service.close();
  database = new Database(file);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** How the embedded engine reads a page of a list, of each statement of it. */
async function plans(filter: Partial<AttemptFilter>): Promise<string[]> {
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query: { sql, parameters } }) => void asked.push({ sql, parameters }),
  });
  await attempts(db as Transaction<Tables>).page({ businessUnit: 'shop', limit: 101, ...filter });
  return asked.map(({ sql, parameters }) =>
    (database.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[])
      .map(({ detail }) => detail)
      .join('; '),
  );
}

const after = { createdAt: 5, id: 'pay_1' };
const LISTED = /^SEARCH attempts USING INDEX attempts_listed \([^;]*\)$/;
const BY_STATUS =
  /^SEARCH attempts USING INDEX attempts_listed_by_status \(business_unit=\? AND status=\?[^;]*$/;
const BY_REFERENCE =
  /^SEARCH attempts USING INDEX attempts_by_reference \(business_unit=\? AND client_reference=\?\); USE TEMP B-TREE/;

it.each<[Partial<AttemptFilter>, RegExp]>([
  [{}, LISTED],
  [{ from: 1, to: 9 }, LISTED],
  [{ from: 1, after }, LISTED],
  [{ statuses: ['succeeded'] }, BY_STATUS],
  [{ statuses: ['pending', 'processing'], from: 1, to: 9, after }, BY_STATUS],
  [{ clientReference: 'bill-1' }, BY_REFERENCE],
  [{ clientReference: 'bill-1', statuses: ['pending', 'processing'], from: 1, to: 9, after }, BY_REFERENCE],
])('R-82 reads what a page shows and no more, by an index: %j', async (filter, index) => {
  const read = await plans(filter);
  expect(read).toHaveLength(filter.clientReference === undefined ? (filter.statuses?.length ?? 1) : 1);
  for (const plan of read) expect(plan).toMatch(index);
});
