/** Messages to payers of many business units. */
import { expect, it } from 'vitest';
import { config, SECRETS } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startReceiver } from '../../test/receiver.js';
import { startSmtp } from '../../test/smtp.js';
import { queuedNow } from '../core/queue-rows.js';
import { createLog } from '../platform/log/log.js';
import { parseConfig } from '../platform/config/config.js';
import { serve } from '../start/serve.js';
import { startTestService, type OpenTestService } from '../start/test-service.js';
import { MAX_CONNECTIONS } from './mail.js';

/** A service whose units have these numbers of pending receipts, and their numbers of leased messages. */
async function withReceipts(
  smtp: { readonly url: string },
  receipts: Record<string, number>,
  gateway?: { readonly url: string },
): Promise<{ service: OpenTestService; leased: () => Promise<number> }> {
  const whole = config() as { businessUnits: Record<string, unknown>[] };
  const slugs = Object.keys(receipts);
  const service = await startTestService({
    config: {
      ...whole,
      apiKeys: [],
      email: { from: 'bills@water.example', smtp: smtp.url },
      ...(gateway ? { sms: { url: gateway.url, secrets: SECRETS } } : {}),
      businessUnits: slugs.map((slug) => ({ ...whole.businessUnits[0], slug })),
    },
  });
  const { store, clock } = service.deps;
  await store.transaction(async (tx) => {
    for (const [businessUnit, count] of Object.entries(receipts))
      for (let place = 0; place < count; place++)
        for (const channel of gateway ? (['sms', 'email'] as const) : (['email'] as const))
          await tx.messages.insert({
            id: `eml_${businessUnit}_${place}_${channel}`,
            businessUnit,
            kind: 'receipt',
            channel,
            about: `${businessUnit}_${place}`,
            recipient: channel === 'sms' ? '+12075550199' : `${businessUnit}@example.com`,
            language: 'en',
            facts: {},
            ...queuedNow(channel === 'sms' ? clock.now() - 1 : clock.now()),
          });
  });
  const leased = async (): Promise<number> => {
    const all = await store.read((tx) => Promise.all(slugs.map((slug) => tx.messages.list(slug))));
    return all.flat().filter(({ leasedUntil }) => leasedUntil > 0).length;
  };
  return { service, leased };
}

it('R-104 leases no more messages than it can send at once', async () => {
  const smtp = await startSmtp({ responses: { EHLO: '' } });
  const units = Array.from({ length: MAX_CONNECTIONS + 2 }, (_, place) => [`unit${place}`, 1] as const);
  const { service, leased } = await withReceipts(smtp, Object.fromEntries(units));
  const sent = service.control.advance(0);
  await expect.poll(leased).toBeGreaterThanOrEqual(MAX_CONNECTIONS);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await leased()).toBe(MAX_CONNECTIONS);
  await smtp.close();
  await sent;
  await service.close();
});

it('R-104 does not send a waiting receipt once its business unit has turned receipts off', async () => {
  const smtp = await startSmtp();
  const { service } = await withReceipts(smtp, { a: 1, b: 1 });
  const { config: current, store } = service.deps;
  Object.assign(current, {
    businessUnits: current.businessUnits.map((unit) =>
      unit.slug === 'a' ? { ...unit, email: { receipts: false } } : unit,
    ),
  });
  await service.control.advance(0);
  expect(smtp.received.map(({ to }) => to)).toEqual(['b@example.com']);
  expect(await store.read((tx) => tx.messages.list('a'))).toMatchObject([{ status: 'unsent' }]);
  await smtp.close();
  await service.close();
});

it('R-97 sends a unit’s mail while the mail server is slow with those of others', async () => {
  const hangs = (to: string): boolean => !to.startsWith('fast');
  const smtp = await startSmtp({ hangs });
  const { service } = await withReceipts(smtp, { a: 8, b: 8, c: 8, fast: 8 });
  const sent = service.control.advance(0);
  await expect.poll(() => smtp.received).toHaveLength(8);
  await smtp.close();
  await sent;
  await service.close();
});

it('R-97 sends mail while the gateway for text messages hangs', async () => {
  const smtp = await startSmtp();
  const gateway = await startReceiver();
  gateway.response = 'hang';
  const units = Array.from({ length: MAX_CONNECTIONS }, (_, place) => [`unit${place}`, 4] as const);
  const { service } = await withReceipts(smtp, Object.fromEntries(units), gateway);
  const sent = service.control.advance(0);
  await expect.poll(() => smtp.received).toHaveLength(4 * MAX_CONNECTIONS);
  await gateway.close();
  await sent;
  await service.close();
  await smtp.close();
});

it('R-104 counts and logs a failed message without its recipient', async () => {
  const EMAIL = 'mira.osei@example.com';
  const smtp = await startSmtp({ responses: { RCPT: `550 no such user ${EMAIL}` } });
  let log = '';
  const settings = { ...(config() as object), email: { from: 'bills@water.example', smtp: smtp.url } };
  const running = await serve({
    env: 'staging',
    config: parseConfig(settings, 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    opsPort: 0,
    log: createLog({ write: (line: string) => void (log += line) }),
  });
  const page = await open((path, init) => fetch(running.url + path, init), 'payment', {
    ClientUser: { EmailAddress: EMAIL },
  });
  await page.pay();
  await expect
    .poll(async () => (await fetch(`${running.ops}/metrics`)).text())
    .toMatch(/^payer_messages_total\{channel="email",status="failed"\} 1$/m);
  await running.close();
  await smtp.close();
  expect(log).toContain('SMTP 550');
  expect(log).not.toContain(EMAIL);
  // The id of a reminder opens its unsubscribe link.
  expect(log).toMatch(/"messageId":"[\w-]{43}"/);
  expect(log).not.toContain('eml_');
});
