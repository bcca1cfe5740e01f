/** Tests where the database address comes from, and how many connections a process uses. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { ask } from '../../packages/service/test/postgres.js';
import { hasPostgres, startPostgres, startService } from '../harness/index.js';

describe.runIf(hasPostgres)('a PostgreSQL database', () => {
  const stops: (() => unknown)[] = [];
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  it(
    'is read from EMBEDDED_SESSIONS_DATABASE, stays out of the process list, and gets poolSize connections',
    { tags: ['thorough'] },
    async () => {
      const postgres = await startPostgres();
      stops.push(() => postgres.stop());
      const database = await postgres.database();
      const service = await startService({
        database,
        databaseFrom: 'environment',
        settings: { database: { poolSize: 2, statementTimeoutMs: 2_000 } },
      });
      stops.push(() => service.kill());
      await Promise.all(Array.from({ length: 20 }, () => service.create('payment')));
      const mine = `from pg_stat_activity where application_name = 'embedded-sessions' and datname = current_database()`;
      expect(await ask(database, `select count(*)::int as count ${mine}`)).toEqual([{ count: 2 }]);
      const [row] = await ask(database, 'select count(*)::int as count from sessions');
      expect(row).toEqual({ count: 20 });
      expect(readFileSync(`/proc/${service.pid}/cmdline`, 'utf8')).not.toContain('postgres');
    },
  );
});
