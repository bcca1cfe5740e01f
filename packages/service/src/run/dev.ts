/** `embedded-sessions dev`: staging on an embedded database, with control API, inspector and, without a config, a sample. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../runtime/log.js';
import { parseConfig, readConfig } from '../runtime/config.js';
import { serve } from './serve.js';
import type { Running } from './serve.js';

export interface DevOptions {
  /** Of the service; control API and inspector take the next two. 0: any free ones. */
  readonly port: number;
  /** A config file; where it is not there, a sample business unit is served. */
  readonly config: string;
  /** Default: a new one in the temporary folder. */
  readonly database?: string;
  readonly log: Log;
}

export interface Dev extends Running {
  /** Of the sample business unit; absent where a config was given. */
  readonly sample?: { readonly businessUnit: string; readonly apiKey: string };
}

const SAMPLE = 'sample-shop';

export async function dev({ port, config: file, database, log }: DevOptions): Promise<Dev> {
  const apiKey = `stg_${randomBytes(18).toString('base64url')}`;
  const isThere = existsSync(file);
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
            },
          ],
          apiKeys: [{ key: apiKey, businessUnits: [SAMPLE] }],
        },
        'staging',
      );
  const next = (by: number): number => (port === 0 ? 0 : port + by);
  const running = await serve({
    env: 'staging',
    config,
    host: '127.0.0.1',
    port,
    controlPort: next(1),
    inspectorPort: next(2),
    database: database ?? join(mkdtempSync(join(tmpdir(), 'embedded-sessions-dev-')), 'service.db'),
    log,
  });
  return { ...running, ...(isThere ? {} : { sample: { businessUnit: SAMPLE, apiKey } }) };
}
