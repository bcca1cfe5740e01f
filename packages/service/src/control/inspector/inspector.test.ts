import { FLOWS } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, config, SECRETS, SLUG } from '../../../test/merchant.js';
import { CARD, open } from '../../../test/payer.js';
import { startReceiver, type Receiver } from '../../../test/receiver.js';
import { parseConfig } from '../../runtime/config.js';
import { serve, type Running } from '../../run/serve.js';
import type { ClockView, InspectorEvent, RequestRecord, SessionRecord } from '../../shared/inspector.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let running: Running;
let receiver: Receiver;
let base: string;
let token: string;

beforeAll(async () => {
  receiver = await startReceiver();
  running = await serve({
    env: 'staging',
    config: parseConfig(config({ webhook: { url: receiver.url, secrets: SECRETS } }), 'staging'),
    host: '127.0.0.1',
    port: 0,
    inspectorPort: 0,
    database: ':memory:',
    log: silent,
  });
  [base = '', token = ''] = (running.inspector ?? '').split('/#');
});
afterAll(async () => {
  await running.close();
  await receiver.close();
});

const ask = async <T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> => {
  const response = await fetch(base + path, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
};
const service = (input: string, init?: RequestInit): Promise<Response> => fetch(running.url + input, init);

it('R-90 tells what a payment did, from its request to its webhook, and nothing secret', async () => {
  const page = await open(service, 'payment', { ClientUser: { EmailAddress: 'ada@example.com' } });
  await page.pay();
  await expect.poll(() => receiver.types()).toContain('payment.succeeded');
  await expect
    .poll(async () => (await ask<InspectorEvent[]>(`/events?session=${page.id}`)).map(({ title }) => title))
    .toContain('payment.succeeded: delivered after 1');
  const events = await ask<InspectorEvent[]>(`/events?session=${page.id}`);
  expect(new Set(events.map(({ kind }) => kind))).toEqual(
    new Set(['request', 'page', 'session', 'payment', 'processor', 'webhook']),
  );
  const made = events.find(({ kind }) => kind === 'request');
  const request = await ask<RequestRecord>(`/requests/${made?.requestId}`);
  expect(request.changes.map(({ what }) => what)).toEqual(expect.arrayContaining(['session', 'customer']));
  expect(request.curl).toContain('$SERVICE_API_KEY');
  const session = await ask<SessionRecord>(`/sessions/${page.id}`);
  expect(session).toMatchObject({ status: 'Succeeded', payments: [{ status: 'succeeded', last4: '4242' }] });
  const webhook = await ask<{ curl: string }>(`/webhooks/${session.webhooks[0]?.id}`);

  const everything = JSON.stringify([
    await ask('/events'),
    await Promise.all((await ask<{ id: string }[]>('/requests')).map(({ id }) => ask(`/requests/${id}`))),
    session,
    webhook,
    await ask('/about'),
    await ask('/try'),
  ]);
  for (const canary of [
    API_KEY,
    page.secret,
    CARD.cardNumber,
    '4242424242424242',
    CARD.securityCode,
    ...SECRETS,
  ])
    expect(everything).not.toContain(canary);
});

it('R-90 is open to whoever has its token, by a loopback address, and to no other page', async () => {
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${base}/events`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
  expect(await status({ authorization: `Bearer ${token}`, origin: 'https://evil.example' })).toBe(403);
});

it('R-90 goes on after the last event that was seen', async () => {
  const [, second] = await ask<InspectorEvent[]>('/events');
  const stop = new AbortController();
  const response = await fetch(`${base}/events`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'last-event-id': String(second?.id),
    },
    signal: stop.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  stop.abort();
  expect(value).toContain(`id: ${(second?.id ?? 0) + 1}\n`);
});

it('R-90 pays, refunds, cancels and moves the clock as a developer asks', async () => {
  const paid = await open(service, 'payment');
  expect(await ask(`/sessions/${paid.id}/pay`, { number: '4242424242424242' })).toMatchObject({ ok: true });
  const { payments } = await ask<SessionRecord>(`/sessions/${paid.id}`);
  expect(await ask(`/sessions/${paid.id}/refund`, { paymentId: payments[0]?.id, amount: 100 })).toMatchObject(
    {
      ok: true,
    },
  );
  const canceled = await open(service, 'wallet');
  expect(await ask(`/sessions/${canceled.id}/cancel`, {})).toMatchObject({ ok: true });
  const before = await ask<ClockView>('/clock');
  const after = await ask<ClockView>('/clock', { advance: '31m' });
  expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(31 * 60_000);
  expect(await ask('/faults', { kind: 'drop-after-commit', path: '/s/*/api/pay' })).toMatchObject([
    { left: 1 },
  ]);
  const sent = await ask<{ ok: boolean; sessionId: string }>('/try', {
    path: FLOWS.wallet.endpoint,
    body: { BusinessUnitSlug: SLUG, ClientUser: { EmailAddress: 'ada@example.com' } },
  });
  expect(sent.ok).toBe(true);
});

it('R-90 does not exist in production', async () => {
  await expect(
    serve({
      env: 'production',
      config: parseConfig({}, 'production'),
      host: '127.0.0.1',
      port: 0,
      inspectorPort: 0,
      database: ':memory:',
      log: silent,
    }),
  ).rejects.toMatchObject({ code: 'invalid_arguments', message: /inspector/ });
});
