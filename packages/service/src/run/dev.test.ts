import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { devCommand } from './commands/dev.js';
import { dev } from './dev.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const config = 'there-is-none.json';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('R-90 a dev service takes its temporary database with it', async () => {
  const service = await dev({ port: 0, config, log });
  expect(readdirSync(folder)).toHaveLength(1);
  await service.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('R-90 a dev service that cannot start leaves nothing behind', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await vi.waitUntil(() => taken.listening);
  const { port } = taken.address() as AddressInfo;
  await expect(dev({ port, config, log })).rejects.toThrow('listen');
  taken.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('R-90 a dev service has room for its other two ports, or says so', async () => {
  await expect(devCommand.run(['--port', '65534'])).rejects.toThrow('--port must be at most 65533');
});

it('R-90 a dev service leaves the database that it was given', async () => {
  const service = await dev({ port: 0, config, log, database: join(folder, 'mine.db') });
  await service.close();
  expect(readdirSync(folder)).toContain('mine.db');
});
