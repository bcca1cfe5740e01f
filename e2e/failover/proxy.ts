/** HAProxy with the configuration that the service package ships. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerFolder } from '../../packages/service/test/postgres.js';
import { startDaemon, type Daemon } from './daemon.js';

const CONFIG = new URL('../../packages/service/deploy/haproxy.cfg', import.meta.url);

/** Starts it on a port of loopback, in front of two processes on other ports. */
export function startProxy(server: ServerFolder, port: number, one: number, two: number): Daemon {
  const file = join(server.folder, 'haproxy.cfg');
  writeFileSync(
    file,
    readFileSync(CONFIG, 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replaceAll('one:4100', `127.0.0.1:${one}`)
      .replaceAll('two:4100', `127.0.0.1:${two}`),
  );
  return startDaemon(server, 'haproxy', ['-f', file]);
}
