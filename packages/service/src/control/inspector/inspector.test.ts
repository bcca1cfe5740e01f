import type { PaymentProcessor } from '../../processor/rules/port.js';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENTS_ENDPOINT, FLOWS, type Charge } from '@embedded-sessions/server-types';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, config, SECRETS, SLUG } from '../../../test/merchant.js';
import { BANK, CARD, open } from '../../../test/payer.js';
import { startReceiver, type Receiver } from '../../../test/receiver.js';
import { parseConfig } from '../../platform/config/config.js';
import { serve, type Running } from '../../start/serve.js';
import { startTestService } from '../../start/test-service.js';
import type {
  ClockView,
  InspectorEvent,
  MailLine,
  MailRecord,
  RequestRecord,
  SessionLine,
  SessionRecord,
} from '../../shared/inspector.js';
import { Journal, type NewEvent } from './journal.js';
import { Redaction } from './redaction.js';
import { watchRequests } from './requests.js';
import { watchProcessor } from './watch.js';
import { webhookRecord } from './webhooks.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let running: Running;
let receiver: Receiver;
let base: string;
let token: string;

beforeAll(async () => {
  receiver = await startReceiver();
  running = await serve({
    env: 'staging',
    config: parseConfig(
      {
        ...(config({ webhook: { url: receiver.url, secrets: SECRETS } }) as object),
        email: { from: 'bills@water.example' },
      },
      'staging',
    ),
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
const disarm = (): Promise<Response> =>
  fetch(`${base}/faults`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
beforeEach(async () => void (await disarm()));

const service = (input: string, init?: RequestInit): Promise<Response> => fetch(running.url + input, init);

it('R-91 reads no more of a body than the API does', async () => {
  const response = await fetch(`${base}/try`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ path: 'x'.repeat(256 * 1024) }),
  });
  expect(response.status).toBe(413);
});

it('R-91 parses no large body of a request without a valid key', async () => {
  const body = JSON.stringify({ BusinessUnitSlug: SLUG, Description: 'long '.repeat(20_000) });
  const page = await open(service, 'wallet');
  const parsed = vi.spyOn(JSON, 'parse');
  for (const [method, path, headers] of [
    ['POST', FLOWS.payment.endpoint, { 'x-service-api-key': 'stg_wrong' }],
    ['PUT', FLOWS.payment.endpoint, {}],
    ['POST', '/integrations/unknown', {}],
    ['POST', `/s/${page.id}/api/pay`, { authorization: 'Bearer wrong' }],
  ] as const)
    await service(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const lengths = parsed.mock.calls.map(([text]) => text.length);
  parsed.mockRestore();
  expect((await ask<InspectorEvent[]>('/events')).at(-1)?.title).toMatch(/→ 401/);
  expect(Math.max(0, ...lengths)).toBeLessThan(body.length);
});

it('R-91 lists sessions without reading large requests', async () => {
  const listed = async (id: string) =>
    (await ask<SessionLine[]>('/sessions')).find((session) => session.id === id);
  const small = await open(service, 'payment', { Charges: [{ Amount: 7_700 }] });
  const large = await open(service, 'payment', {
    Charges: [{ Amount: 7_700 }],
    CustomMeta: { note: 'long '.repeat(20_000) },
  });
  const parsed = vi.spyOn(JSON, 'parse');
  expect(await listed(small.id)).toMatchObject({ amount: 7_700 });
  const line = await listed(large.id);
  const lengths = parsed.mock.calls.map(([text]) => text.length);
  parsed.mockRestore();
  expect(line).toMatchObject({ flow: 'payment' });
  expect(line).not.toHaveProperty('amount');
  expect(Math.max(...lengths)).toBeLessThan(100_000);
});

/** Matches short digit strings on their own, because ids and instants contain them by chance. */
const alone = (digits: string): RegExp => new RegExp(`(?<![\\w.:-])${digits}(?![\\w.:-])`);

it('R-43 R-90 responds to bodies nested too deeply to show as usual, and reports them', async () => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  const sent = JSON.stringify({ BusinessUnitSlug: SLUG, Channel: 'QuickPay', Charges: [{ Amount: 1 }] });
  const bodies = { [nested]: 400, [sent.replace('{', `{"Unknown":${nested},`)]: 200 };
  for (const [body, status] of Object.entries(bodies)) {
    const response = await service(FLOWS.payment.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
      body,
    });
    expect(response.status).toBe(status);
    const event = (await ask<InspectorEvent[]>('/events?kind=request')).at(-1);
    expect(event?.title).toContain(`→ ${status}`);
    expect((await ask<RequestRecord>(`/requests/${event?.requestId}`)).body).toBeUndefined();
  }
});

it('R-90 shows a payment from its request to its webhook, without secrets', async () => {
  // A customer that no other test creates.
  const page = await open(service, 'payment', { ClientUser: { EmailAddress: 'new@example.com' } });
  await page.pay();
  await expect.poll(() => receiver.types()).toContain('payment.succeeded');
  await expect
    .poll(async () => (await ask<InspectorEvent[]>(`/events?session=${page.id}`)).map(({ title }) => title))
    .toContain('payment.succeeded: delivered after 1 attempt');
  const events = await ask<InspectorEvent[]>(`/events?session=${page.id}`);
  expect(new Set(events.map(({ kind }) => kind))).toEqual(
    new Set(['request', 'page', 'session', 'payment', 'processor', 'message', 'webhook']),
  );
  // In words, not as on the wire.
  const titles = events.map(({ title }) => title);
  expect(titles).toContain('Session is succeeded');
  expect(titles).toContain('Payment of $123.45 is succeeded');
  expect(titles.find((title) => title.includes('new@example.com'))).toMatch(/^Receipt by email to /);
  const made = events.find(({ kind }) => kind === 'request');
  const request = await ask<RequestRecord>(`/requests/${made?.requestId}`);
  expect(request.changes.map(({ what }) => what)).toEqual(expect.arrayContaining(['session', 'customer']));
  expect(request.changes.find(({ what }) => what === 'session')).not.toHaveProperty('was');
  expect(request.curl).toContain('$SERVICE_API_KEY');
  const session = await ask<SessionRecord>(`/sessions/${page.id}`);
  expect(session).toMatchObject({ status: 'Succeeded', payments: [{ status: 'succeeded', last4: '4242' }] });
  const webhook = await ask(`/webhooks/${session.webhooks[0]?.id}`);

  const everything = JSON.stringify([
    await ask('/events'),
    await Promise.all((await ask<{ id: string }[]>('/requests')).map(({ id }) => ask(`/requests/${id}`))),
    session,
    webhook,
    await ask('/about'),
    await ask('/try'),
  ]);
  for (const canary of [API_KEY, page.secret, CARD.cardNumber, '4242424242424242', ...SECRETS])
    expect(everything).not.toContain(canary);
  expect(everything).not.toMatch(alone(CARD.securityCode));
});

it('R-90 requires its token and a loopback address, and refuses other pages', async () => {
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${base}/events`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
  expect(await status({ authorization: `Bearer ${token}`, origin: 'https://evil.example' })).toBe(403);
});

it('R-90 resumes after the last event received', async () => {
  for (let count = 0; count < 3; count++) await open(service, 'payment');
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
  let text = '';
  while (!text.includes('id: ')) text += (await reader.read()).value ?? '';
  stop.abort();
  expect(text).toMatch(new RegExp(`^id: ${(second?.id ?? 0) + 1}\\n`));
});

it('R-90 pays, refunds, cancels and moves the clock on request', async () => {
  const paid = await open(service, 'payment');
  expect(await ask(`/sessions/${paid.id}/pay`, { number: '4242424242424242' })).toMatchObject({ ok: true });
  const { payments } = await ask<SessionRecord>(`/sessions/${paid.id}`);
  const refund = { paymentId: payments[0]?.id, amount: 100 };
  expect(await ask(`/sessions/${paid.id}/refund`, refund)).toMatchObject({ ok: true });
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
  ).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('inspector') as string,
  });
});

describe('redaction', () => {
  const WORDS = 'canary';
  const UNSEEN = {
    card: '4000 0566 5566 5556',
    webhookSecret: SECRETS[0],
    bareWebhookSecret: SECRETS[1].slice(6),
    apiKey: API_KEY,
    foreignKey: `stg_${'aB3_'.repeat(10)}xyz`,
    securityCode: '7371',
  };
  const everything = async (): Promise<string> => {
    const lists = await Promise.all(
      ['/events', '/requests', '/sessions', '/webhooks', '/mail', '/clock', '/faults'].map((path) =>
        ask<unknown>(path),
      ),
    );
    const ids = (list: unknown): string[] => (list as { id: string }[]).map(({ id }) => id);
    const records = await Promise.all([
      ...ids(lists[1]).map((id) => ask(`/requests/${id}`)),
      ...ids(lists[2]).map((id) => ask(`/sessions/${id}`)),
      ...ids(lists[3]).map((id) => ask(`/webhooks/${id}`)),
    ]);
    const mail = await Promise.all(ids(lists[4]).map((id) => ask<MailRecord>(`/mail/${id}`)));
    const html = await Promise.all(mail.map(async (each) => (await fetch(base + each.html)).text()));
    return JSON.stringify([lists, records, mail, html]);
  };
  const call = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    service(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY, ...headers },
      body,
    });
  const hidden = async (...canaries: string[]): Promise<void> => {
    const shown = await everything();
    const around = (canary: string): string =>
      shown.slice(Math.max(0, shown.indexOf(canary) - 200), shown.indexOf(canary) + 100);
    expect(canaries.filter((canary) => shown.includes(canary)).map(around)).toEqual([]);
    expect(shown).not.toMatch(alone(UNSEEN.securityCode));
  };

  it('R-90 shows no bank account that a payer entered', async () => {
    const page = await open(service, 'payment');
    const accountNumber = '000111111116';
    await page.pay({ source: { ...BANK, accountNumber } });
    const events = await ask<InspectorEvent[]>(`/events?kind=page&session=${page.id}`);
    const record = await ask<RequestRecord>(`/requests/${events.at(-1)?.requestId}`);
    expect(record).toMatchObject({ path: `/s/${page.id}/api/pay`, status: 200 });
    expect([record.body, record.answer]).toEqual([undefined, undefined]);
    await hidden(accountNumber, BANK.routingNumber, page.secret);
  });

  it.each(Object.entries(UNSEEN).filter(([name]) => name !== 'securityCode'))(
    'R-90 shows no %s, wherever it was entered',
    async (_, canary) => {
      const typed = (text: string): unknown => ({
        BusinessUnitSlug: SLUG,
        Channel: 'QuickPay',
        Description: text,
        [text]: text,
        PaymentDescriptor: text,
        CustomMeta: { [WORDS]: text, securityCode: UNSEEN.securityCode },
        Charges: [
          {
            Amount: 500,
            Description: text,
            ClientAccount: {
              AccountNumber: '1001',
              Name: text,
              Note: text,
              Address: { City: text },
              [WORDS]: text,
            },
          },
        ],
        ClientUser: { EmailAddress: 'ada@example.com', FirstName: text, LastName: text },
      });
      const initiate = FLOWS.payment.endpoint;
      const address = encodeURIComponent(canary);
      const body = JSON.stringify(typed(canary));
      await call(initiate, body);
      await call(initiate, body.slice(0, -1));
      await call(initiate, JSON.stringify({ BusinessUnitSlug: canary, Channel: canary }));
      await call(initiate, JSON.stringify(canary));
      await call(`${initiate}?key=${address}`, body, {
        'idempotency-key': canary,
        'x-request-id': canary,
        'user-agent': canary,
      });
      await call(`/integrations/${address}`, body);
      await call(`/s/${address}/api/pay`, body, { authorization: `Bearer ${canary}` });
      await ask('/try', { path: initiate, body: typed(canary) });
      await hidden(canary, canary.replaceAll(' ', ''), address);
    },
  );

  it.each(Object.entries(UNSEEN).filter(([name]) => name !== 'securityCode'))(
    'R-90 R-104 shows no %s in messages about a paid charge',
    async (_, canary) => {
      // A new text of a charge doesn't compile until it is here.
      const charge: Required<Charge> = {
        Amount: 12_345,
        Description: canary,
        ChargeType: canary,
        CustomMeta: { [WORDS]: canary },
        ClientAccount: { AccountNumber: canary, Name: canary, Note: canary },
      };
      const ClientUser = { EmailAddress: 'ada@example.com', FirstName: canary, LastName: canary };
      const page = await open(service, 'payment', {
        Charges: [charge],
        ClientUser,
        PaymentDescriptor: canary,
      });
      await page.pay();
      const messages = async () =>
        (await ask<MailLine[]>('/mail')).filter(({ sessionId }) => sessionId === page.id);
      await expect.poll(messages).toHaveLength(1);
      await hidden(canary, canary.replaceAll(' ', ''));
    },
  );

  it.each([' - ', '–', '+', '    ', '\u00A0', 'ー'])(
    'R-90 shows no card number with %j between its groups',
    (mark) => {
      const { text } = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
      expect(text(`card ${UNSEEN.card.replaceAll(' ', mark)}!`)).toBe('card …!');
    },
  );

  it('shows balances', () => {
    const redaction = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    const body = { Charges: [{ Amount: 12_345_600, ClientAccount: { Balance: 12_345_600 } }] };
    expect(redaction.body(body)).toEqual(body);
  });

  it.each<[string, unknown]>([
    ['a security code in a payload', { payload: '{"securityCode":"987","name":"Ada"}' }],
    ['a card number in a payload', { payload: '[{"note":4000056655009987}]' }],
    [
      'a security code in a payload that a repeated key replaces',
      { cvv: 1, payload: '{"a":{"cvv":"987"},"a":1}' },
    ],
    ['a card number in a payload that a repeated key replaces', { payload: '{"a":4000056655009987,"a":1}' }],
    ['a payload that is cut off', { payload: '{"securityCode":"987' }],
    ['a security code under another name', { csc: '987', CVN: 987, cardVerificationValue: '987' }],
    ['a short card number', { value: 4_222_222_007_987, other: -4_000_056_655_009_987 }],
    ['a card number that JSON has rounded', JSON.parse('{"value":4000000000000009872}')],
    ['a card number in other digits', { value: '٤٠٠٠٠٥٦٦٥٥٠٠٩٩٨٧' }],
    ['a card number in a URL', { value: 'https://pay.example/?n=4000%200566%205500%209987' }],
  ])('R-90 shows no part of %s', (_, body) => {
    const shown = JSON.stringify(new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []).body(body));
    expect(shown).toContain('…');
    expect(shown).not.toMatch(/987|٩٨٧/);
  });

  it('shows instants, and payloads as they were written', () => {
    const redaction = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    const instants = Array.from({ length: 20 }, (_, ms) => ({ dueAt: 1_796_067_122_000 + ms }));
    expect(redaction.body(instants)).toEqual(instants);
    const body = { payload: '{ "emailAddress": "ada@example.com" }', note: '[Gate] 12' };
    expect(redaction.body(body)).toEqual(body);
  });

  it('R-90 hides a key that is joined with other characters', () => {
    const { text } = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    const key = `stg_${'aB3-'.repeat(10)}xyz`;
    for (const before of ['Bearer%20', '?next=%2Fpay%3Fkey%3D', '{\\n', 'key\\u003d', 'stg_', 'KEY_', 'key'])
      for (const after of ['', '_old', '-2', ' x'])
        for (const each of [key, key.slice('stg_'.length)])
          expect(text(`${before}${each}${after}`)).not.toMatch(/aB3-|xyz/);
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(text(trace)).toBe(trace);
  });

  it('shows times and lists of numbers', () => {
    const { text } = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    for (let second = 10; second < 60; second++) {
      const shown = `2026-11-29 22:52:${second}, 4242, 4242, 4242, 4242`;
      expect(text(shown)).toBe(shown);
    }
  });

  it('answers requests whose Host header makes no valid URL', async () => {
    const journal = new Journal(
      { now: () => 0 },
      new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []),
    );
    const unparsable = { url: 'http://h0.5/readyz' } as Request;
    const response = await watchRequests(journal, { now: () => 0 }).request(
      unparsable,
      'req_1',
      async () => new Response('ok'),
    );
    expect(await response.text()).toBe('ok');
  });

  it('R-91 redacts each of 2,000 keys, and quickly reads a body of 10,000 names', () => {
    const keys = Array.from({ length: 2_000 }, (_, index) => `a.(key)+${index}`);
    const secrets = { apiKeys: keys.map((key) => ({ key, businessUnits: [] })), businessUnits: [] };
    const redaction = new Redaction(() => secrets, []);
    expect(keys.map((key) => redaction.text(`<${key}>`))).toEqual(keys.map(() => '<…>'));
    expect(redaction.text('<a.(key)')).toBe('<a.(key)');

    const charge = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`name-${index}`, 'value']));
    const body = { Charges: Array.from({ length: 100 }, () => charge) };
    const { user } = process.cpuUsage();
    redaction.body(body);
    expect(process.cpuUsage().user - user).toBeLessThan(200_000);
  });

  it.each([
    ['of a session', `https://pay.example/s/stg_1#${'Ab1-'.repeat(10)}xyz`],
    [
      'of a session in another URL',
      `https://shop.example/?pay=https%3A%2F%2Fpay.example%2Fs%2Fstg_1%23${'Ab1-'.repeat(10)}xyz`,
    ],
    [
      'of a session in a URL in another URL',
      `https://shop.example/?pay=%252Fs%252Fstg_1%2523${'Ab1-'.repeat(10)}xyz`,
    ],
    ['of a webhook', 'whsec_c2VjcmV0'],
    ['of 256 bits', `stg_${'Ab1-'.repeat(10)}xyz`],
  ])('R-90 shows no secret %s', (_, secret) => {
    const redact = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    const opens = secret.replace(/.*(?:#|%23|%2523)/, '');
    expect(redact.text(`See ${secret} there.`)).not.toContain(opens);
    expect(redact.text(`See ${secret} there.`)).toMatch(/^See .* there\.$/);
  });

  it.each([
    '05 4000 0566 5566 5556',
    '4000056655665556 05',
    '4000_0566_5566_5556',
    '4000  0566  5566\u00a05556',
    'on 2026-11-23 4000056655665556 12.50',
  ])('R-90 shows no card number next to other numbers: %s', (words) => {
    const { text } = new Redaction(() => ({ apiKeys: [], businessUnits: [] }), []);
    expect(text(words).replace(/\D/g, '')).not.toContain('5556');
    expect(text('1763884800000 2026-11-23 14')).toBe('1763884800000 2026-11-23 14');
  });

  it('R-90 R-68 shows no message of a failed processor, which may contain payer data', async () => {
    const events: NewEvent[] = [];
    const journal = { add: (event: NewEvent) => void events.push(event) } as Journal;
    const fails = () => Promise.reject(new TypeError(`No such card: ${UNSEEN.card}`));
    const processor = watchProcessor({ tokenize: fails, charge: fails, lookup: fails }, journal);
    await expect(processor.lookup('pay_1', {} as never)).rejects.toThrow('No such card');
    expect(events.map(({ title }) => title)).toEqual([
      'Processor call: lookup',
      'Processor failed to lookup: TypeError',
    ]);
  });

  it('R-90 passes on every member of a processor', () => {
    const member = async (): Promise<never> => Promise.reject(new Error('not called'));
    const every: Required<PaymentProcessor> = {
      tokenize: member,
      charge: member,
      lookup: member,
      cancel: member,
      refund: member,
      receive: member,
      forget: member,
      updateExpiry: member,
      frameOrigins: ['https://challenges.example'],
    };
    const watched = watchProcessor(
      every,
      new Journal({ now: () => 0 }, new Redaction(() => ({ apiKeys: [], businessUnits: [] }), [])),
    );
    expect(Object.keys(watched).toSorted()).toEqual(Object.keys(every).toSorted());
  });

  it('R-90 shows a webhook’s address without the merchant’s secrets in it', async () => {
    const opened = await startTestService({
      config: config({ webhook: { url: `${receiver.url}?token=${WORDS}`, secrets: SECRETS } }),
    });
    const { deps } = opened;
    await (await open(opened.fetch, 'payment')).pay();
    const [message] = await deps.store.read((tx) => tx.outbox.list(SLUG));
    const journal = new Journal(deps.clock, new Redaction(() => deps.config, []));
    expect(await webhookRecord({ deps, journal }, message?.id ?? '')).toMatchObject({
      url: `${receiver.url}?…`,
    });
    await opened.close();
  });

  it('R-90 shows no card number that a repeated key replaces', async () => {
    await call(
      FLOWS.payment.endpoint,
      `{"BusinessUnitSlug":"${SLUG}","PaymentDescriptor":"4000056655665556","PaymentDescriptor":"Water"}`,
    );
    const [line] = await ask<{ id: string }[]>('/requests');
    expect((await ask<RequestRecord>(`/requests/${line?.id}`)).curl).toContain('Water');
    await hidden('4000056655665556');
  });

  it('R-90 shows no card number that is a JSON number, and no secret that a receiver returned', async () => {
    await call(
      FLOWS.payment.endpoint,
      `{"BusinessUnitSlug":"${SLUG}","Channel":"QuickPay","Charges":[{"Amount":500}],
        "CustomMeta":{"card":4000056655665556}}`,
    );
    const page = await open(service, 'payment');
    receiver.body = `no: ${UNSEEN.card} ${UNSEEN.webhookSecret} <script>`;
    receiver.response = 500;
    await page.pay();
    await expect.poll(() => everything()).toContain('<script>');
    await hidden('4000056655665556', UNSEEN.card, UNSEEN.webhookSecret);
    receiver.response = 200;
  });
});

it('R-90 escapes the sent text in a copied command', async () => {
  const sent = {
    BusinessUnitSlug: SLUG,
    Note: `$(id) \`id\` 'x'; touch ${join(tmpdir(), 'inspector-was-here')}`,
  };
  await service(FLOWS.wallet.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
    body: JSON.stringify(sent),
  });
  const [line] = await ask<{ id: string }[]>('/requests');
  const { curl } = await ask<{ curl: string }>(`/requests/${line?.id}`);
  const words = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }; ${curl}`])
    .toString()
    .split('\0');
  expect(words).toContain(running.url + FLOWS.wallet.endpoint);
  expect(JSON.parse(words.at(-2) ?? '')).toEqual(sent);
  expect(existsSync(join(tmpdir(), 'inspector-was-here'))).toBe(false);
});

it('R-90 shows only a session’s own events', async () => {
  const [one, other] = [await open(service, 'payment'), await open(service, 'payment')];
  for (const page of [one, other]) await page.pay();
  const { webhooks, payments, events } = await ask<SessionRecord>(`/sessions/${one.id}`);
  expect(webhooks).toMatchObject([{ type: 'payment.succeeded', sessionId: one.id }]);
  expect(payments).toHaveLength(1);
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([one.id]));
});

it('R-90 sends all events if those after the last one received are gone', async () => {
  await open(service, 'payment');
  const known = await ask<InspectorEvent[]>('/events');
  const first = async (last: number): Promise<string> => {
    const stop = new AbortController();
    const response = await fetch(`${base}/events`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        'last-event-id': String(last),
      },
      signal: stop.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('id: ')) text += (await reader.read()).value ?? '';
    stop.abort();
    return text;
  };
  const oldest = known[0]?.id;
  for (const last of [7, (known.at(-1)?.id ?? 0) + 1_000_000])
    expect(await first(last)).toMatch(new RegExp(`^id: ${oldest}\\n`));
});

it('R-90 refuses other host names, other origins and a missing token', async () => {
  const send = async (headers: Record<string, string>, path = '/events', method = 'GET') => {
    const { port } = new URL(base);
    return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });
  };
  const authorization = `Bearer ${token}`;
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '0.0.0.0'])
    for (const path of ['/', '/events', '/inspector/inspector.js'])
      expect((await send({ host, authorization, accept: 'text/html' }, path)).status, host + path).toBe(403);
  for (const origin of ['https://evil.example', 'null', base.replace('127.0.0.1', 'localhost')])
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await send({ origin, authorization }, '/clock', method);
      expect(answer.status, origin + method).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  expect((await send({ origin: base }, '/clock')).status).toBe(401);
  expect(await send({ origin: base, authorization }, '/clock')).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
  });
  expect((await send({ authorization: `bearer ${token}` }, '/clock')).status).toBe(401);
  expect((await send({}, `/clock?token=${token}`)).status).toBe(401);
});

it('R-104 R-90 shows messages to payers, and their HTML only at an address it issued', async () => {
  const ClientUser = { EmailAddress: 'ada@example.com' };
  const page = await open(service, 'payment', { ClientUser });
  await page.pay();
  await expect.poll(async () => (await ask<MailLine[]>('/mail'))[0]?.status).toBe('unsent');
  const [line] = await ask<MailLine[]>('/mail');
  expect(line).toMatchObject({
    kind: 'receipt',
    channel: 'email',
    to: 'ada@example.com',
    sessionId: page.id,
  });
  const record = await ask<MailRecord>(`/mail/${line?.id}`);
  expect(record).toMatchObject({
    ...line,
    language: 'en',
    text: expect.stringContaining('Visa ending in 4242'),
  });

  const { html = '' } = record;
  const shown = await fetch(base + html, { headers: { accept: 'text/html' } });
  expect(await shown.text()).toContain('<base target="_blank">');
  const policy = shown.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toMatch(/sandbox(?!.*(allow-scripts|allow-same-origin))/);
  const [path = '', key = ''] = html.split('?key=');
  for (const address of [path, `${path}?key=`, `${path}?key=${key.slice(1)}x`, `/mail/eml_1/html?key=${key}`])
    expect((await fetch(base + address, { headers: { accept: 'text/html' } })).status, address).toBe(404);
  expect(html).not.toContain(token);
});

it('R-90 responds 404 to unknown names', async () => {
  for (const list of ['requests', 'sessions', 'webhooks', 'mail'])
    for (const id of ['%00', '..%2f', '%F0%9F%92%A9', 'x'.repeat(3_000)]) {
      const { status } = await fetch(`${base}/${list}/${id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(status, list + id).toBe(404);
    }
});

it('R-90 shows every clock move and armed fault', async () => {
  const { id } = await open(service, 'wallet');
  await ask(`/sessions/${id}/expire`, {});
  expect((await ask<InspectorEvent[]>('/events?kind=clock')).at(-1)?.title).toMatch(/^Clock is /);
  expect(await ask(`/sessions/${id}`)).toMatchObject({ status: 'Expired' });
  const page = await open(service, 'payment');
  await ask('/faults', { kind: 'latency', ms: 0, path: '/s/*/api/session' });
  await page.get();
  const faults = await ask<InspectorEvent[]>('/events?kind=fault');
  expect(faults.slice(-2).map(({ title }) => title)).toEqual([
    'Fault latency is armed',
    'Fault latency hits /s/*/api/session',
  ]);
});

it('R-90 moves the clock forward, but not back', async () => {
  const { now } = await ask<ClockView>('/clock');
  const to = new Date(Date.parse(now) - 60_000).toISOString();
  expect(await ask('/clock', { to })).toMatchObject({ error: expect.stringContaining('before') });
  expect(Date.parse((await ask<ClockView>('/clock')).now)).toBeGreaterThanOrEqual(Date.parse(now));
});

it('R-90 refuses clock times out of range or invalid', async () => {
  const { offsetMs } = await ask<ClockView>('/clock');
  // A browser's field takes years of six digits.
  for (const to of ['+020261-11-22T10:00:00.000Z', '+275760-09-13T00:00:00.000Z', '9999-12-31'])
    expect(await ask('/clock', { to })).toEqual({ error: expect.stringContaining('year 9999') });
  for (const to of ['soon', '', '2026-13-40'])
    expect(await ask('/clock', { to })).toEqual({
      error: expect.stringMatching(/^Send .*a future instant/),
    });
  expect((await ask<ClockView>('/clock')).offsetMs).toBe(offsetMs);
  expect((await service('/readyz')).status).toBe(200);
});

const serveAnother = (env: 'development' | 'staging') =>
  serve({
    env,
    config: parseConfig(config(), env),
    host: '127.0.0.1',
    port: 0,
    inspectorPort: 0,
    database: ':memory:',
    log: silent,
  });

it('R-6 R-90 in development offers the available endpoints', async () => {
  const development = await serveAnother('development');
  const [base, token] = development.inspector!.split('/#');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const forms = (await (await fetch(`${base}/try`, { headers })).json()) as {
    path: string;
    example: unknown;
  }[];
  expect(forms.map(({ path }) => path)).toEqual([EVENTS_ENDPOINT]);
  const body = JSON.stringify({
    path: EVENTS_ENDPOINT,
    body: { ...(forms[0]!.example as object), businessUnitSlug: SLUG },
  });
  const response = await fetch(`${base}/try`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ ok: true });
  await development.close();
});

it('R-90 passes on a response that is too long to keep', async () => {
  const unknown = Object.fromEntries(
    Array.from({ length: 100 }, (_, place) => [`${'k'.repeat(2_000)}${place}`, 1]),
  );
  const response = await service(FLOWS.payment.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY },
    body: JSON.stringify({ BusinessUnitSlug: SLUG, PaymentFields: unknown }),
  });
  expect(response.status).toBe(400);
  expect((await response.text()).length).toBeGreaterThan(256 * 1024);
});

it('R-90 keeps no body over the service’s limit, and does not wait for an endless one', async () => {
  const long = JSON.stringify({ BusinessUnitSlug: SLUG, Description: 'long '.repeat(60_000) });
  const headers = { 'content-type': 'application/json', 'x-service-api-key': API_KEY };
  expect((await service(EVENTS_ENDPOINT, { method: 'POST', headers, body: long })).status).toBe(413);
  const [line] = await ask<{ id: string }[]>('/requests');
  expect(await ask(`/requests/${line?.id}`)).toMatchObject({ status: 413, codes: [expect.any(String)] });
  expect(await ask(`/requests/${line?.id}`)).not.toHaveProperty('body');
  const endless = request(`${running.url}/integrations/none`, { method: 'POST', headers });
  endless.on('error', () => undefined);
  const answered = new Promise((resolve) => endless.on('response', ({ statusCode }) => resolve(statusCode)));
  endless.write('{');
  expect(await answered).toBe(404);
  endless.destroy();
});

it('R-90 stops an event stream when its client disconnects and when the service ends', async () => {
  const ending = await serveAnother('staging');
  const [address, key] = ending.inspector!.split('/#');
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const reads = vi.spyOn(Journal.prototype, 'events');
  const readsInASecond = async (): Promise<number> => {
    reads.mockClear();
    await delay(1_000);
    return reads.mock.calls.length;
  };
  const stop = new AbortController();
  await fetch(`${address}/events`, { headers, signal: stop.signal });
  const cutOff = (await fetch(`${address}/events`, { headers })).text().catch(() => 'cut off');
  expect(await readsInASecond()).toBeGreaterThan(4);
  stop.abort();
  await expect.poll(readsInASecond, { timeout: 5_000 }).toBeLessThan(5);
  await ending.close();
  await cutOff;
  expect(await readsInASecond()).toBe(0);
  reads.mockRestore();
});
