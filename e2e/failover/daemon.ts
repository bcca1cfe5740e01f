/** Runs third-party servers with a configuration from `config/`, in the foreground and not as root. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from '../../tools/at-end.mjs';
import { findEngine, type EngineName } from '../../tools/engines.mjs';
import type { ServerFolder } from '../../packages/service/test/postgres.js';

/** Writes a configuration with its `$names` filled in and returns its path. */
export function configure(
  { folder }: ServerFolder,
  name: string,
  values: Readonly<Record<string, string | number>>,
  as = name,
): string {
  const text = readFileSync(new URL(`config/${name}`, import.meta.url), 'utf8');
  const file = join(folder, as);
  writeFileSync(
    file,
    text.replace(/\$(\w+)/g, (whole, key: string) => String(values[key] ?? whole)),
  );
  return file;
}

export interface Daemon {
  /** Output so far, to report failed starts. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts a server that ends with this process. */
export function startDaemon({ options }: ServerFolder, name: EngineName, args: readonly string[]): Daemon {
  const program = findEngine(name);
  if (program === null) throw new Error(`${name} is not installed`);
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const leave = atEnd(() => void child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-10_000)));
  return {
    log: () => `${name}:\n${log}`,
    stop: async () => {
      leave();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** PgBouncer in transaction mode, with this many connections to the server on a port. */
export function startPooler(
  server: ServerFolder,
  values: Readonly<{ server: string | number; pooler: number; size: number; name: string }>,
): Daemon {
  const users = join(server.folder, 'users.txt');
  writeFileSync(users, '"postgres" ""\n');
  return startDaemon(server, 'pgbouncer', [configure(server, 'pgbouncer.ini', { ...values, users })]);
}

/** Polls until a condition holds. Treats errors as "not yet". */
export async function until(
  isSo: () => Promise<boolean>,
  explain: () => string,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`Not so after ${withinMs} ms. ${explain()}`);
    await delay(50);
  }
}
