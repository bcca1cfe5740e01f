/** CPU per call of the server client, compared with three other clients, each against the same server on loopback. */
import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { median } from './measure.js';
import { installedPeers, versionOf } from './peers.js';
import { record } from './results.mjs';

const NAMES = ['ours', 'stripe', 'square', 'openai'] as const;
const ROUNDS = 5;

/** The response that every client parses. */
const BODY = JSON.stringify({
  hasErrors: false,
  errors: [],
  data: {
    PaymentSessionIdentifier: 'stg_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw',
    PaymentLogInLink: `http://127.0.0.1/s/stg_1m7yz5pt0QNEUiah2bZg3YGeAYZ25Pw#${'x'.repeat(43)}`,
    Status: 'RequiresPaymentSource',
  },
  id: 'cs_1',
  object: 'list',
  payment_link: { id: 'L', version: 1 },
  model: 'm',
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

it('costs no more than other clients', async () => {
  const server = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(BODY));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = installedPeers();
  const seen = new Map<string, number[]>(NAMES.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES) {
      const args = [join(import.meta.dirname, 'client-call.mjs'), name, url, folder];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      seen.get(name)?.push(Number(stdout));
    }
  server.close();
  const of = (name: string): number => median(seen.get(name) as number[]);
  const others = NAMES.filter((name) => name !== 'ours');
  const peers = others.map((name) => ({
    name,
    version: versionOf(name),
    value: Number(of(name).toFixed(0)),
    unit: 'µs',
  }));
  record('call', of('ours') / Math.min(...others.map(of)), {
    peers,
    note: `ours ${of('ours').toFixed(0)} µs`,
  });
});
