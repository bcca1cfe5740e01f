/** `embedded-sessions dev`: staging on an embedded database, with control API, inspector and, without a config, a sample. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAUGHT } from '../control/inspector/routes.js';
import type { Log } from '../runtime/log.js';
import { parseConfig, readConfig } from '../runtime/config.js';
import { serve } from './serve.js';
import type { Running } from './serve.js';

export interface DevOptions {
  /** Of the service; control API and inspector take the next two. 0: any free ones. */
  readonly port: number;
  /** A config file; where it is not there, a sample business unit is served. */
  readonly config: string;
  /** Default: a new one in the temporary folder, gone when it is closed. */
  readonly database?: string;
  readonly log: Log;
}

export interface Dev extends Running {
  /** Of the sample business unit; absent where a config was given. */
  readonly sample?: {
    readonly businessUnit: string;
    readonly apiKey: string;
    readonly webhookSecret: string;
  };
}

const SAMPLE = 'sample-shop';

export async function dev({ port, config: file, database, log }: DevOptions): Promise<Dev> {
  const apiKey = `stg_${randomBytes(18).toString('base64url')}`;
  const isThere = existsSync(file);
  const inspectorPort = port === 0 ? await freePort() : port + 2;
  const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
  const config = isThere
    ? readConfig(file, 'staging')
    : parseConfig(
        {
          businessUnits: [
            {
              slug: SAMPLE,
              name: 'Sample Shop',
              allowedOrigins: ['http://localhost:3000', 'http://localhost:5173', 'http://localhost:8080'],
              allowAmountAdjustment: true,
              // The inspector takes them, so that they are there to be seen and forwarded.
              webhook: { url: `http://127.0.0.1:${inspectorPort}${CAUGHT}`, secrets: [webhookSecret] },
            },
          ],
          apiKeys: [{ key: apiKey, businessUnits: [SAMPLE] }],
        },
        'staging',
      );
  const folder = database === undefined ? mkdtempSync(join(tmpdir(), 'embedded-sessions-dev-')) : undefined;
  const leave = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const running = await serve({
      env: 'staging',
      config,
      host: '127.0.0.1',
      port,
      controlPort: port === 0 ? 0 : port + 1,
      inspectorPort,
      database: database ?? join(folder ?? '', 'service.db'),
      log,
    });
    return {
      ...running,
      ...(isThere ? {} : { sample: { businessUnit: SAMPLE, apiKey, webhookSecret } }),
      close: () => running.close().finally(leave),
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Known before the service listens: its config names it. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
