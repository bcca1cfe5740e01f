/** A PostgreSQL primary and its synchronous standby, and ways to kill, freeze, promote and disconnect them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from '../../tools/at-end.mjs';
import { freePort } from '../../tools/ports.mjs';
import { ask, initialize, program, serverFolder } from '../../packages/service/test/postgres.js';
import { startGate } from '../../packages/service/test/gate.js';
import { signalAll, type Signal } from './processes.js';

export interface Pair {
  /** The connection string with both servers. */
  readonly database: string;
  /** Sends SIGKILL to all processes of the primary. */
  killPrimary(): Promise<void>;
  /** Sends SIGSTOP to all processes of the primary: connections stay open but get no response. */
  freezePrimary(): void;
  /** Resumes a frozen primary that has been replaced. */
  thawStandby(): void;
  /** Promotes the standby, like an operator's script. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Makes the former primary the standby of the current one. */
  rebuildStandby(): Promise<void>;
  /** Drops all packets between the primary and its standby, without either noticing. */
  cutLink(): void;
  /** Cancels the backends that wait for the standby, as an impatient administrator might. */
  endWaiting(): Promise<number>;
  stop(): Promise<void>;
}

interface Server {
  readonly data: string;
  readonly port: number;
  readonly url: string;
  child?: ChildProcess;
}

const DATABASE = 'embedded';
const SETTINGS = ['fsync=off', 'listen_addresses=127.0.0.1', 'max_connections=200', 'wal_keep_size=256MB'];

export async function startPair(): Promise<Pair> {
  const { folder, options, run, remove } = serverFolder();
  const link = await startGate();
  const make = async (name: string): Promise<Server> => {
    const port = await freePort();
    return { data: join(folder, name), port, url: `postgres://postgres@127.0.0.1:${port}` };
  };
  let primary = await make('one');
  let standby = await make('two');

  const start = async (server: Server): Promise<void> => {
    const settings = [...SETTINGS, `port=${server.port}`, `unix_socket_directories=${folder}`];
    const child = spawn(
      program('postgres'),
      ['-D', server.data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server.child = child;
    child.once(
      'exit',
      atEnd(() => void child.kill('SIGQUIT')),
    );
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-10_000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve();
      });
      child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
    });
  };
  /** The last entry wins. */
  const set = (server: Server, setting: string): void =>
    appendFileSync(join(server.data, 'postgresql.auto.conf'), `${setting}\n`);
  const follow = async (): Promise<void> => {
    link.leadTo(primary.port);
    rmSync(standby.data, { recursive: true, force: true, maxRetries: 20 });
    const from = `host=127.0.0.1 port=${link.port} user=postgres application_name=standby`;
    const copy = ['-d', from, '-D', standby.data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    await run('pg_basebackup', copy);
    await start(standby);
    set(primary, `synchronous_standby_names = 'standby'`);
    await ask(`${primary.url}/postgres`, 'select pg_reload_conf()');
    const isSynchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`;
    await until(async () => (await ask(`${primary.url}/postgres`, isSynchronous, 2_000)).length === 1);
  };

  await run('initdb', initialize(primary.data));
  await start(primary);
  await ask(`${primary.url}/postgres`, `create database ${DATABASE}`);
  await follow();

  const signal = (server: Server, name: Signal): void => {
    const { pid } = server.child ?? {};
    if (pid !== undefined) signalAll(pid, name);
  };
  const gone = async (server: Server): Promise<void> => {
    const { child } = server;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    signal(server, 'SIGKILL');
    await ended;
  };

  return {
    database: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${DATABASE}?target_session_attrs=read-write`,
    killPrimary: () => gone(primary),
    freezePrimary: () => signal(primary, 'SIGSTOP'),
    thawStandby: () => signal(standby, 'SIGCONT'),
    promote: async () => {
      // Without a standby, commits don't wait.
      set(standby, `synchronous_standby_names = ''`);
      await ask(`${standby.url}/postgres`, 'select pg_reload_conf()');
      await run('pg_ctl', ['promote', '-w', '-D', standby.data]);
      [primary, standby] = [standby, primary];
    },
    rebuildStandby: async () => {
      await gone(standby);
      await follow();
    },
    cutLink: () => link.cut(),
    endWaiting: async () =>
      (
        await ask(
          `${primary.url}/postgres`,
          `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
        )
      ).length,
    stop: async () => {
      await Promise.all([gone(primary), gone(standby)]);
      link.stop();
      remove();
    },
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('It is not so after 30 s.');
    await delay(50);
  }
}
