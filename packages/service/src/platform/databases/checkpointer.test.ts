import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { CheckpointFailed, Checkpointer } from './wal-durability.js';

it('fails if the system has no more threads', async () => {
  const start = () => {
    throw new Error('Worker initialization failure: EAGAIN');
  };
  const checkpointer = new Checkpointer('service.db', (work) => work(), start);
  await expect(checkpointer.run()).rejects.toThrow(CheckpointFailed);
});

it('fails if its thread cannot run, and then starts another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointer-'));
  const file = join(folder, 'later', 'service.db');
  const checkpointer = new Checkpointer(file, (work) => work());
  onTestFinished(async () => {
    await checkpointer.close();
    rmSync(folder, { recursive: true });
  });
  await expect(checkpointer.run()).rejects.toThrow(CheckpointFailed);

  mkdirSync(join(folder, 'later'));
  new DatabaseSync(file).close();
  await checkpointer.run();
});

it('reports a file that is damaged as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointer-'));
  const file = join(folder, 'service.db');
  writeFileSync(file, 'x'.repeat(10_000));
  const checkpointer = new Checkpointer(file, (work) => work());
  onTestFinished(async () => {
    await checkpointer.close();
    rmSync(folder, { recursive: true });
  });
  const error = await checkpointer.run().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'file is not a database' });
  expect(error).not.toBeInstanceOf(CheckpointFailed);
});

it('keeps the process alive while a checkpoint runs, and only then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointer-'));
  const file = join(folder, 'service.db');
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; create table meta (name text, value text)`);
  const checkpointer = new Checkpointer(file, (work) => work());
  onTestFinished(async () => {
    await checkpointer.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const idle = ports();

  const checkpoint = checkpointer.run();
  expect(ports()).toBe(idle + 1);

  await checkpoint;
  expect(ports()).toBe(idle);
});
