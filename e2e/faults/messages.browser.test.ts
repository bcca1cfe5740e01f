/**
 * `kill -9` while e-mail is being sent, and a mail server whose response is lost after it accepted a message. Runs
 * only in `pnpm test:faults`, because unit tests cover each step, such as the end of a dead process's lease.
 */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open } from '../../packages/service/test/payer.js';
import { seeded } from '../../packages/service/test/random.js';
import { startSmtp, type SmtpServer } from '../../packages/service/test/smtp.js';
import { startService, type Service } from '../harness/index.js';

/** Fewer than in other tests, because each takes five seconds. */
const KILLS = Math.ceil(Number(process.env['FAULT_KILLS'] ?? 0) / 4);
/** Payments between kills. */
const PAYMENTS = 6;
/** Messages that a process sends concurrently. */
const AT_ONCE = 8;
const random = seeded('messages');

/** Number of lost responses of the mail server. */
let lost = 0;
let smtp: SmtpServer;
let service: Service;

beforeAll(async () => {
  smtp = await startSmtp({
    get losesAnswers() {
      const isLost = random() < 0.1;
      if (isLost) lost++;
      return isLost;
    },
  });
  service = await startService({ settings: { email: { from: 'bills@water.example', smtp: smtp.url } } });
});
afterAll(async () => {
  await service?.stop();
  await smtp?.close();
});

async function payAs(EmailAddress: string): Promise<void> {
  const { url, apiKey } = service;
  const page = await open(
    (path, init = {}) => {
      const headers = { ...(init.headers as Record<string, string>) };
      if ('x-service-api-key' in headers) headers['x-service-api-key'] = apiKey;
      return fetch(new URL(path, url), { ...init, headers });
    },
    'payment',
    { ClientUser: { EmailAddress } },
  );
  await page.pay();
}

/** Simulates five minutes passing, after which the lease of a dead process has ended. */
function endLeases(): void {
  const database = new DatabaseSync(service.database);
  database.exec("update messages set leased_until = 0 where status = 'pending'");
  database.close();
}

interface Sent {
  readonly to: string;
  readonly status: string;
}
const messages = async (): Promise<readonly Sent[]> =>
  ((await service.control.state()) as { messages?: readonly Sent[] }).messages ?? [];

it.runIf(KILLS > 0)(
  `R-104 loses no message when killed ${KILLS} times while sending, and repeats messages with the same id`,
  async () => {
    const payers: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const before = smtp.received.length;
      for (let place = 0; place < PAYMENTS; place++) {
        const payer = `payer-${payers.length}@example.com`;
        await payAs(payer);
        payers.push(payer);
      }
      const until = before + Math.floor(random() * PAYMENTS);
      await expect.poll(() => smtp.received.length, { interval: 2 }).toBeGreaterThanOrEqual(until);
      await service.kill();
      endLeases();
      await service.restart();
    }
    await expect
      .poll(
        async () => {
          // Moves past the backoff after a lost response.
          await service.control.advance('15m');
          return (await messages()).filter(({ status }) => status !== 'sent');
        },
        { timeout: 60_000 },
      )
      .toEqual([]);

    expect((await messages()).map(({ to }) => to).toSorted()).toEqual(payers.toSorted());
    const ids = new Map<string, Set<string | undefined>>();
    for (const { to, data } of smtp.received)
      ids.set(to, (ids.get(to) ?? new Set()).add(/^Message-ID: (.*)$/m.exec(data)?.[1]));
    expect([...ids.keys()].toSorted()).toEqual(payers.toSorted());
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    const repeated = smtp.received.length - payers.length;
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(KILLS * AT_ONCE + lost);
  },
  60_000 + KILLS * 10_000,
);
