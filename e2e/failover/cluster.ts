/** Two PostgreSQL servers managed by Patroni, behind etcd, HAProxy and PgBouncer. */
import { dirname, join } from 'node:path';
import { freePort } from '../../tools/ports.mjs';
import { ask, program, serverFolder } from '../../packages/service/test/postgres.js';
import { configure, startDaemon, startPooler, until, type Daemon } from './daemon.js';
import { serverIn, signalAll } from './processes.js';

export interface Cluster {
  /** The port of PgBouncer. */
  readonly database: string;
  /** Sends SIGKILL to the primary's processes, but not to its Patroni. */
  killPrimary(): Promise<void>;
  /** Kills the primary and its Patroni together, so the leader key is not released. */
  killMachine(): Promise<void>;
  /** Starts Patroni on the machine that was killed. */
  startMachine(): void;
  /** Resolves when a server other than the last killed one is the primary. */
  promoted(): Promise<void>;
  /** Resolves when the primary has a synchronous standby. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly data: string;
  readonly port: number;
  readonly api: number;
}

export async function startCluster(): Promise<Cluster> {
  const server = serverFolder();
  const { folder } = server;
  const daemons: Daemon[] = [];
  const start = (...args: Parameters<typeof startDaemon>): Daemon => {
    const daemon = startDaemon(...args);
    daemons.push(daemon);
    return daemon;
  };
  const logs = (): string => daemons.map((daemon) => daemon.log()).join('\n');
  const [etcd, peers, haproxy, pooler] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];

  const url = (port: number): string => `http://127.0.0.1:${port}`;
  start(server, 'etcd', [
    '--enable-v2=true',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url(etcd)}`,
    `--advertise-client-urls=${url(etcd)}`,
    `--listen-peer-urls=${url(peers)}`,
    `--initial-advertise-peer-urls=${url(peers)}`,
    `--initial-cluster=default=${url(peers)}`,
  ]);
  await until(async () => (await fetch(`${url(etcd)}/health`)).ok, logs);

  const members: Member[] = [];
  const bin = dirname(program('initdb'));
  for (const name of ['one', 'two'])
    members.push({ name, data: join(folder, name), port: await freePort(), api: await freePort() });
  const agents = new Map<Member, Daemon>();
  const startAgent = (member: Member): void => {
    const file = configure(server, 'patroni.yml', { ...member, bin, etcd, folder }, `${member.name}.yml`);
    agents.set(member, start(server, 'patroni', [file]));
  };
  for (const member of members) startAgent(member);
  const [one, two] = members as [Member, Member];
  const ports = { onePort: one.port, oneApi: one.api, twoPort: two.port, twoApi: two.api };
  start(server, 'haproxy', ['-db', '-f', configure(server, 'haproxy.cfg', { ...ports, primary: haproxy })]);
  daemons.push(startPooler(server, { server: haproxy, pooler, size: 20, name: 'embedded' }));

  const is = async (member: Member, role: 'primary' | 'synchronous'): Promise<boolean> =>
    (await fetch(`${url(member.api)}/${role}`)).ok;
  const find = async (role: 'primary' | 'synchronous'): Promise<Member | undefined> => {
    const responses = await Promise.all(members.map((member) => is(member, role).catch(() => false)));
    return members[responses.indexOf(true)];
  };
  const whole = (): Promise<void> =>
    until(
      async () => (await find('primary')) !== undefined && (await find('synchronous')) !== undefined,
      logs,
    );

  await whole();
  const primary = await find('primary');
  await ask(`postgres://postgres@127.0.0.1:${primary!.port}/postgres`, 'create database embedded');
  const database = `postgres://postgres@127.0.0.1:${pooler}/embedded`;
  await until(async () => (await ask(database, 'select 1', 2_000)).length === 1, logs);

  let killed = primary as Member;
  const killPrimary = async (): Promise<void> => {
    killed = (await find('primary')) as Member;
    signalAll(serverIn(killed.data)!, 'SIGKILL');
  };
  return {
    database,
    killPrimary,
    killMachine: async () => {
      killed = (await find('primary')) as Member;
      // Kill Patroni first, because it would release the key when its server dies.
      await agents.get(killed)?.stop();
      signalAll(serverIn(killed.data)!, 'SIGKILL');
    },
    startMachine: () => startAgent(killed),
    promoted: () => {
      const other = members.find((member) => member !== killed) as Member;
      return until(() => is(other, 'primary'), logs);
    },
    whole,
    stop: async () => {
      for (const daemon of daemons.toReversed()) await daemon.stop();
      // A PostgreSQL server keeps running after its Patroni ends.
      for (const pid of members.map(({ data }) => serverIn(data)))
        if (pid !== undefined) signalAll(pid, 'SIGKILL');
      server.remove();
    },
  };
}
