/** A service started without jobs, as on a restored database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SECRETS, config } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { parseConfig } from '../platform/config/config.js';
import { createLog } from '../platform/log/log.js';
import { serve, type Running } from './serve.js';

const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-no-jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('serves requests but leaves webhooks to another process on the same database', async () => {
  const [copy, real] = [await startReceiver(), await startReceiver()];
  const start = (url: string, jobs: boolean): Promise<Running> =>
    serve({
      env: 'staging',
      config: parseConfig(config({ webhook: { url, secrets: SECRETS } }), 'staging'),
      database: join(folder, 'copy.db'),
      host: '127.0.0.1',
      port: 0,
      log: createLog({ write: () => undefined }),
      jobs,
    });
  const idle = await start(copy.url, false);
  const busy = await start(real.url, true);
  try {
    const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(idle.url + path, init);
    for (const count of [1, 2, 3]) {
      await (await open(ask, 'payment')).pay();
      await expect.poll(() => real.received.length).toBe(count);
    }
    expect(copy.received).toEqual([]);
  } finally {
    await Promise.all([idle.close(), busy.close(), copy.close(), real.close()]);
  }
});
