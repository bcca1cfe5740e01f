import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpointer } from './wal-durability.js';

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
