/** Signals to a server whose processes start and end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { signalAll } from './processes.js';

it('notifies the other processes if one ends during a broadcast', async () => {
  const restless = spawn('/bin/sh', ['-c', 'echo ready; while :; do /bin/true; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(restless, 'exit');
  await once(restless.stdout, 'data');
  try {
    for (let i = 0; i < 2_000; i++) signalAll(restless.pid!, 'SIGCONT');
  } finally {
    signalAll(restless.pid!, 'SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(() => signalAll(restless.pid!, 'SIGCONT')).not.toThrow();
});
