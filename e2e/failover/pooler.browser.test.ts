/** PgBouncer in transaction mode between two processes and PostgreSQL, with fewer connections than they have. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serverFolder } from '../../packages/service/test/postgres.js';
import { freePort, hasPostgres, startPostgres, startService } from '../harness/index.js';
import { startLoad } from './load.js';

const ALL = process.env['FAILOVER'] === 'all';
const PGBOUNCER = '/usr/sbin/pgbouncer';

describe.runIf(ALL && hasPostgres && existsSync(PGBOUNCER))('behind PgBouncer in transaction mode', () => {
  const stops: (() => unknown)[] = [];
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  it('every request is answered, and a process that is killed leaves no connection behind', async () => {
    const postgres = await startPostgres();
    stops.push(() => postgres.stop());
    const database = new URL(await postgres.database());
    const port = await freePort();
    stops.push(await startPooler(database, port));
    const pooled = new URL(database);
    pooled.port = String(port);
    const options = { apiKey: 'stg_key_of_the_pooler_test', database: pooled.href };
    const services = [await startService(options), await startService(options)];
    for (const service of services) stops.push(() => service.kill());
    const load = startLoad(services, 60);
    await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(100);
    await services[0]!.kill();
    await services[0]!.restart();
    await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(250);
    await load.stop();
    expect(load.answers.filter(({ status }) => status !== 200 && status !== 0)).toEqual([]);
    expect(load.paid.size).toBeGreaterThan(30);
  });
});

async function startPooler(database: URL, port: number): Promise<() => void> {
  const { folder, options } = serverFolder();
  const name = database.pathname.slice(1);
  const users = join(folder, 'users.txt');
  writeFileSync(users, '"postgres" ""\n');
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
${name} = host=127.0.0.1 port=${database.port} dbname=${name} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
query_wait_timeout = 5
`,
  );
  const child: ChildProcess = spawn(PGBOUNCER, [file], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`PgBouncer ended with ${code}:\n${log}`)));
  });
  return () => void child.kill('SIGKILL');
}
