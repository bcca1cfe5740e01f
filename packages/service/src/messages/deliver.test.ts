/** Leases of messages to payers. */
import { expect, it, vi } from 'vitest';
import { config, SLUG } from '../../test/merchant.js';
import { open } from '../../test/payer.js';
import { startSmtp } from '../../test/smtp.js';
import { createLog } from '../platform/log/log.js';
import { parseConfig } from '../platform/config/config.js';
import { serve } from '../start/serve.js';
import { startTestService } from '../start/test-service.js';

it('R-104 leases no more messages than it can send at once', async () => {
  const smtp = await startSmtp({ responses: { EHLO: '' } });
  const whole = config() as { businessUnits: Record<string, unknown>[] };
  const slugs = [SLUG, 'b', 'c', 'd', 'e'];
  const service = await startTestService({
    config: {
      ...whole,
      email: { from: 'bills@water.example', smtp: smtp.url },
      businessUnits: slugs.map((slug) => ({ ...whole.businessUnits[0], slug })),
    },
  });
  const { store, clock } = service.deps;
  await store.transaction(async (tx) => {
    for (const businessUnit of slugs)
      await tx.messages.insert({
        id: `eml_${businessUnit}`,
        businessUnit,
        kind: 'receipt',
        channel: 'email',
        about: businessUnit,
        recipient: 'mira.osei@example.com',
        language: 'en',
        facts: {},
        status: 'pending',
        attempts: 0,
        createdAt: clock.now(),
        dueAt: clock.now(),
        leasedUntil: 0,
      });
  });
  const leased = async (): Promise<number> => {
    const all = await store.read((tx) => Promise.all(slugs.map((slug) => tx.messages.list(slug))));
    return all.flat().filter(({ leasedUntil }) => leasedUntil > 0).length;
  };

  const sent = service.control.advance(0);
  await vi.waitFor(async () => expect(await leased()).toBeGreaterThanOrEqual(2));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await leased()).toBe(2);
  await smtp.close();
  await sent;
  await service.close();
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
});
