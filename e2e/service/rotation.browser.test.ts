// @module-tag thorough
/**
 * Rotates everything that can be rotated by SIGHUP on two processes of one PostgreSQL, under load from merchants and payers.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '@embedded-sessions/server';
import { afterEach, expect, it } from 'vitest';
import { startReceiver } from '../../packages/service/test/receiver.js';
import { CARD } from '../failover/load.js';
import { BUSINESS_UNIT, hasPostgres, startPostgres, startService, type Service } from '../harness/index.js';

const API_KEYS = ['stg_the_key_of_before', 'stg_the_key_of_after'] as const;
const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'] as const;
const SESSION_KEYS = [`before:${'1'.repeat(64)}`, `after:${'2'.repeat(64)}`] as const;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** The active configuration of a process. New data uses the first entry of each list. */
interface InForce {
  readonly apiKeys: readonly string[];
  readonly secrets: readonly string[];
  readonly sessionKeys: readonly string[];
}

interface Process {
  readonly service: Service;
  /** Writes the configuration and resolves when the process reports that it is active. */
  take(next: InForce): Promise<void>;
}

async function startProcess(database: string, webhook: string, first: InForce): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-rotation-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  const keyFile = join(folder, 'session.keys');
  const configOf = ({ apiKeys, secrets }: InForce): unknown => ({
    businessUnits: [{ slug: BUSINESS_UNIT, name: 'Harborlight Water', webhook: { url: webhook, secrets } }],
    apiKeys: apiKeys.map((key) => ({ key, businessUnits: [BUSINESS_UNIT] })),
  });
  const write = (file: string, { sessionKeys }: InForce): void => writeFileSync(file, sessionKeys.join('\n'));
  write(keyFile, first);
  const service = await startService({
    database,
    config: configOf(first),
    args: ['--session-keys', keyFile],
  });
  stops.push(() => service.kill());
  const config = join(service.folder, 'service.config.json');
  const timesTaken = (): number => service.logs().split('Config reloaded').length - 1;
  return {
    service,
    take: async (next) => {
      const before = timesTaken();
      write(keyFile, next);
      writeFileSync(config, JSON.stringify(configOf(next)));
      process.kill(service.pid, 'SIGHUP');
      await expect.poll(timesTaken).toBe(before + 1);
    },
  };
}

/** Creates sessions on one process, reads and pays them on the other, queries both, and keeps every status. */
function startTraffic(services: readonly [Service, Service], apiKey: () => string) {
  const statuses: string[] = [];
  let paid = 0;
  const stopping = new AbortController();
  const send = async (what: string, url: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(url, init).catch((error: unknown) => String(error));
    statuses.push(`${what} ${typeof response === 'string' ? response : response.status}`);
    return typeof response === 'string' || !response.ok ? null : response.json();
  };
  const post = (service: Service, path: string, body: object, headers: Record<string, string>) =>
    send(path.replace(/^\/s\/[^/]+/, '/s/*'), service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const buy = async (maker: Service, other: Service): Promise<void> => {
    const merchant = (service: Service, path: string, body: object) =>
      post(service, path, { BusinessUnitSlug: BUSINESS_UNIT, ...body }, { 'x-service-api-key': apiKey() });
    const made = (await merchant(maker, '/integrations/embedded/initiate', {
      Channel: 'QuickPay',
      Charges: [{ Amount: 1_234 }],
    })) as { data: { PaymentSessionIdentifier: string; PaymentLogInLink: string } } | null;
    if (made === null) return;
    const { pathname, hash } = new URL(made.data.PaymentLogInLink);
    const headers = { authorization: `Bearer ${hash.slice(1)}` };
    await send('session', `${other.url}${pathname}/api/session`, { headers });
    const charges = [{ index: 0, amount: 1_234 }];
    const pay = { attemptId: randomUUID(), source: CARD, saveMethod: false, charges, fields: {} };
    if ((await post(other, `${pathname}/api/pay`, pay, headers)) !== null) paid += 1;
    const { PaymentSessionIdentifier } = made.data;
    await merchant(maker, '/integrations/embedded/query', { PaymentSessionIdentifier });
  };
  const loop = async (maker: Service, other: Service): Promise<void> => {
    while (!stopping.signal.aborted) await buy(maker, other);
  };
  const [one, two] = services;
  const loops = [loop(one, two), loop(two, one)];
  return {
    statuses,
    paid: () => paid,
    /** Resolves when all earlier requests and some later ones have responses. */
    more: async (): Promise<void> => {
      const from = paid;
      await expect.poll(() => paid, { timeout: 30_000 }).toBeGreaterThan(from + 2);
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

it.runIf(hasPostgres)(
  'R-67 R-65 rotates session keys, API keys and webhook secrets by SIGHUP without a refused request or unverifiable webhook',
  async () => {
    const postgres = await startPostgres();
    stops.push(() => postgres.stop());
    const receiver = await startReceiver();
    stops.push(() => receiver.close());
    const database = await postgres.database();
    const old = { apiKeys: [API_KEYS[0]], secrets: [SECRETS[0]], sessionKeys: [SESSION_KEYS[0]] };
    const one = await startProcess(database, receiver.url, old);
    const two = await startProcess(database, receiver.url, old);
    let apiKey: string = API_KEYS[0];
    const traffic = startTraffic([one.service, two.service], () => apiKey);
    const everywhere = async (next: InForce): Promise<void> => {
      for (const process of [one, two]) {
        await process.take(next);
        // The two processes have different configurations here.
        await traffic.more();
      }
    };
    await traffic.more();
    const [oldest, youngest] = [SESSION_KEYS[0], SESSION_KEYS[1]];
    const both = { apiKeys: API_KEYS, secrets: [SECRETS[1], SECRETS[0]], sessionKeys: [oldest, youngest] };
    await everywhere(both);
    // The merchant switches to the new API key and webhook secret.
    apiKey = API_KEYS[1];
    const changedAt = receiver.received.length;
    await everywhere({ ...both, sessionKeys: [youngest, oldest] });
    // After a day, no session uses the old key. Its line stays until the test ends.
    await everywhere({ apiKeys: [API_KEYS[1]], secrets: [SECRETS[1]], sessionKeys: [youngest, oldest] });
    await traffic.stop();

    expect(traffic.statuses.filter((status) => !status.endsWith(' 200'))).toEqual([]);
    await expect.poll(() => receiver.received.length).toBe(traffic.paid());
    for (const [index, { body, headers }] of receiver.received.entries()) {
      const secret = index < changedAt ? SECRETS[0] : SECRETS[1];
      await expect(verifyWebhook(body, headers, secret)).resolves.toMatchObject({
        type: 'payment.succeeded',
      });
    }
    // The rotation worked: the old key is rejected.
    apiKey = API_KEYS[0];
    for (const { service } of [one, two]) {
      const response = await fetch(`${service.url}/integrations/embedded/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey },
        body: '{}',
      });
      expect(response.status).toBe(401);
    }
  },
  180_000,
);
