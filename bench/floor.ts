/** The lower bound for a payment's cost: `node:http` that returns constants, and a webhook receiver. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './targets.js';

export interface Receiver {
  readonly url: string;
  /** Counts an expected webhook, and waits while more than this many are in flight; default: 32. */
  expect(atMost?: number): Promise<void>;
  stop(): void;
}

export const WEBHOOK_SECRETS: string[] = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='];

const MAX_IN_FLIGHT = 32;

export async function startReceiver(): Promise<Receiver> {
  const webhooks = { expected: 0, received: 0 };
  const server = createServer((request, response) => {
    webhooks.received += 1;
    request.resume();
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    expect: async (atMost = MAX_IN_FLIGHT) => {
      webhooks.expected += 1;
      while (webhooks.received < webhooks.expected - atMost) await delay(5);
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function startFloor(webhookUrl: string): Promise<Target & { stop(): void }> {
  const args = [join(import.meta.dirname, 'constant-service.mjs'), webhookUrl];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  return { url, pid: child.pid as number, apiKey: 'none', stop: () => void child.kill() };
}

/** @returns the data of the response */
export async function send(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const envelope = (await response.json()) as { data: unknown };
  return envelope.data;
}
