import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpointer } from './wal-durability.js';

it('fails if its thread cannot run, and then starts another', { tags: ['thorough'] }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpointer-'));
  const file = join(folder, 'later', 'service.db');
  const checkpointer = new Checkpointer(file, (work) => work());
  onTestFinished(async () => {
    await checkpointer.close();
    rmSync(folder, { recursive: true });
  });
  await expect(checkpointer.run()).rejects.toThrow('unable to open database file');

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
  await expect(checkpointer.run()).rejects.toThrow('file is not a database');
});
