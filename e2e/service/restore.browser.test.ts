/** Restores a backup of a service that was started from the command line. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startService } from '../harness/index.js';

const CLI = new URL('../../packages/service/dist/cli.js', import.meta.url).pathname;

interface Mark {
  readonly history: string;
  readonly count: number;
}

function readMark(file: string): Mark | undefined {
  const database = new DatabaseSync(file);
  const row = database.prepare(`select value from meta where name = 'restore-mark'`).get();
  database.close();
  return row && (JSON.parse(row['value'] as string) as Mark);
}

it(
  'R-96 restarts normally after a kill, and waits for jobs resume if the database is older than its marker',
  { tags: ['thorough'] },
  async () => {
    const service = await startService();
    await expect.poll(() => readMark(service.database)).toMatchObject({ count: 1 });
    await service.restart();
    await expect.poll(() => readMark(service.database)).toMatchObject({ count: 2 });
    expect(service.logs()).not.toContain('A backup was restored');

    await service.kill();
    const { history } = readMark(service.database)!;
    const marker = `${service.database}.marker`;
    writeFileSync(marker, `${history} 5\n`);
    await service.restart();
    await expect.poll(() => service.logs()).toContain('A backup was restored');

    const args = [CLI, 'jobs', 'resume', '--database', service.database];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toContain('Jobs run again');
    expect(readMark(service.database)?.history).not.toBe(history);
    await service.stop();
    await service.restart();
    await expect.poll(() => readMark(service.database)?.count).toBe(1);
    expect(service.logs().split('A backup was restored')).toHaveLength(2);
    expect(readFileSync(marker, 'utf8')).toBe(`${history} 5\n`);
    await service.stop();
  },
);
