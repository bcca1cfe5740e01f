/** A TLS server that floods its client. Needs `openssl`. */
import { spawn, spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';

export const hasOpenssl: boolean = spawnSync('openssl', ['version']).status === 0;

export interface Flood {
  readonly port: number;
  /** Sends key updates once the server has printed this text. */
  keyUpdates(after: string): Promise<void>;
  close(): void;
}

/** @param folder with `key.pem` and `cert.pem` */
export async function startFlood(folder: string, options: string): Promise<Flood> {
  const port = await freePort();
  const serve = `s_server -accept 127.0.0.1:${port} -key key.pem -cert cert.pem ${options}`;
  const server = spawn('openssl', serve.split(' '), { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  server.stdin.on('error', () => undefined);
  let printed = '';
  server.stdout.on('data', (chunk) => (printed += String(chunk)));
  const hasPrinted = (text: string) => expect.poll(() => printed, { timeout: 5_000 }).toContain(text);
  let typing: NodeJS.Immediate | undefined;
  // It does one command per read.
  const type = (): void => {
    server.stdin.write('K\n');
    typing = setImmediate(type);
  };
  // It prints other lines before it listens.
  await hasPrinted('ACCEPT');
  return {
    port,
    keyUpdates: async (after) => {
      await hasPrinted(after);
      type();
    },
    close: () => {
      clearImmediate(typing);
      server.kill();
    },
  };
}
