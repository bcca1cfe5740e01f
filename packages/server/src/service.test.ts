// Tests the client against the real service over HTTP.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountSessionRequest, PaymentSessionRequest } from '@embedded-sessions/server-types';
import { parseConfig } from '../../service/src/platform/config/config.js';
import { type Running, serve } from '../../service/src/start/serve.js';
import { createServiceClient, isServiceError, type ServiceClientOptions, verifyWebhook } from './index.js';

const KEY = 'stg_key_of_the_client_test';
const SLUG = 'harborlight-water';
const SECRETS = [btoa('one secret, which is 24 bytes'), btoa('the one from before, rotating')].map(
  (text) => `whsec_${text}`,
);
const PAYMENT: PaymentSessionRequest = {
  BusinessUnitSlug: SLUG,
  Channel: 'QuickPay',
  Charges: [{ Amount: 12_345, CustomMeta: { invoice: 7 } }],
};
const ClientUser = { EmailAddress: 'ada@example.com', FirstName: 'Ada' };
const MANAGED: AccountSessionRequest = {
  BusinessUnitSlug: SLUG,
  SyncAccount: true,
  ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' },
  ClientUser,
};

let running: Running;
const received: { body: string; headers: IncomingHttpHeaders }[] = [];
const merchant = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    received.push({ body, headers: request.headers });
    response.end();
  });
});
const portOf = (server: typeof merchant): number => {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

beforeAll(async () => {
  await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve));
  const config = {
    businessUnits: [
      {
        slug: SLUG,
        name: 'Harborlight Water',
        webhook: { url: `http://127.0.0.1:${portOf(merchant)}/`, secrets: [SECRETS[0]] },
      },
    ],
    apiKeys: [{ key: KEY, businessUnits: [SLUG] }],
  };
  const quiet = () => undefined;
  running = await serve({
    env: 'staging',
    config: parseConfig(config, 'staging'),
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    log: { info: quiet, warn: quiet, error: quiet },
  });
});
afterAll(async () => {
  await running.close();
  merchant.close();
});

interface ControlState {
  sessions: { id: string }[];
  customers: { LastName?: string }[];
}
const control = async (path: string, body?: unknown): Promise<ControlState> => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${running.control}${path}`, init);
  expect(response.status).toBe(200);
  return (await response.json()) as ControlState;
};
const sessionIds = async () => (await control(`/state?businessUnit=${SLUG}`)).sessions.map(({ id }) => id);
beforeEach(() => control('/reset', {}));

const clientOf = (options: Partial<ServiceClientOptions> = {}) =>
  createServiceClient({ environment: 'staging', baseUrl: running.url, apiKey: KEY, ...options });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: unknown) => {
      if (!isServiceError(error)) throw error;
      return error;
    },
  );

it('R-4 R-41 R-42 R-55 E-2 E-4 creates and retrieves the seven sessions, and pushes both events', async () => {
  const client = clientOf();
  const { ClientUser } = MANAGED;
  const customer = { BusinessUnitSlug: SLUG, ClientUser };
  const sessions = [
    await client.payments.create({ ...PAYMENT, ClientReference: 'order-1', CustomMeta: { cart: [1] } }),
    await client.autopay.create(MANAGED),
    await client.wallet.create(customer),
    await client.paperless.create(MANAGED),
    await client.schedulePayment.create(MANAGED),
    await client.scheduledPayments.create(MANAGED),
    await client.notifications.create(customer),
  ];
  const details = await Promise.all(
    sessions.map(({ sessionId }) => client.sessions.retrieve(SLUG, sessionId)),
  );
  expect(details.map(({ Flow }) => Flow)).toEqual([
    'payment',
    'autopay',
    'wallet',
    'paperless',
    'schedule-payment',
    'scheduled-payments',
    'notifications',
  ]);
  for (const [index, session] of sessions.entries()) {
    expect(session.sessionUrl).toMatch(new RegExp(`^${running.url}/s/${session.sessionId}#.{43,}$`));
    expect(session.status).toBe(index === 0 ? 'RequiresPaymentSource' : 'Open');
    expect(
      Math.abs(Date.parse(session.expiresAt) - Date.parse(details[index]?.ExpiresAt ?? '')),
    ).toBeLessThan(2000);
  }
  expect(details[0]).toMatchObject({
    ClientReference: 'order-1',
    CustomMeta: { cart: [1] },
    Charges: [{ Amount: 12_345, CustomMeta: { invoice: 7 } }],
    Payments: [],
  });

  const { requestId, status } = await client.events
    .manageCustomer({
      businessUnitSlug: SLUG,
      accountNumber: '1001',
      subAccountNumber: '',
      firstName: 'Ada',
      lastName: 'Lovelace',
      emailAddress: 'ada@example.org',
      originalEmailAddress: 'ada@example.com',
    })
    .withResponse();
  expect([status, typeof requestId]).toEqual([200, 'string']);
  await client.events.unenrollAutopay({
    businessUnitSlug: SLUG,
    accountNumber: '1001',
    subAccountNumber: '',
  });
});

it('R-7 refuses a session of a staging service in production', async () => {
  const error = await failure(clientOf({ environment: 'production' }).payments.create(PAYMENT));
  expect(error).toMatchObject({
    kind: 'configuration',
    details: { expected: 'production', found: 'staging' },
  });
  expect(error.message).not.toContain('/s/');
});

describe('R-26 R-58 a connection that drops', () => {
  it.each(['drop-before-commit', 'drop-after-commit'])(
    '%s: the retry returns the same session',
    async (kind) => {
      await control('/faults', { kind, times: 1 });
      const { data, attempts } = await clientOf()
        .payments.create({ ...PAYMENT, ClientReference: `order-${kind}` })
        .withResponse();
      expect(attempts).toHaveLength(2);
      expect(await sessionIds()).toEqual([data.sessionId]);
      expect(data.sessionUrl).toContain(`/s/${data.sessionId}#`);
    },
  );

  it('after the commit is an ambiguous conflict without an Idempotency-Key', async () => {
    await control('/faults', { kind: 'drop-after-commit', times: 1 });
    const forgetful = (request: Request) => {
      request.headers.delete('idempotency-key');
      return fetch(request);
    };
    const error = await failure(
      clientOf({ fetch: forgetful }).payments.create({ ...PAYMENT, ClientReference: 'order-2' }),
    );
    expect(error).toMatchObject({ kind: 'referenceConflict', ambiguous: true, status: 409 });
    expect(error.attempts).toMatchObject([
      { kind: 'connection', mayHaveArrived: true },
      { kind: 'referenceConflict', status: 409 },
    ]);
    expect(await sessionIds()).toHaveLength(1);
  });

  it('or a response slower than timeoutMs is retried and returns the same session', async () => {
    await control('/faults', { kind: 'latency', ms: 2_000, times: 1 });
    const { data, attempts } = await clientOf({ timeoutMs: 1_000 })
      .payments.create({ ...PAYMENT, ClientReference: 'order-3' })
      .withResponse();
    expect(attempts.length).toBeGreaterThan(1);
    expect(await sessionIds()).toEqual([data.sessionId]);
  });

  it('after an event was carried out: the retry does not undo a later one', async () => {
    const event = {
      businessUnitSlug: SLUG,
      accountNumber: '1001',
      subAccountNumber: '',
      firstName: 'Ada',
      emailAddress: 'ada@example.com',
    };
    const rename = (client: ReturnType<typeof clientOf>, lastName: string) =>
      client.events.manageCustomer({ ...event, lastName }).withResponse();
    let isLost = false;
    const losing = async (sent: Request) => {
      const response = await fetch(sent);
      if (isLost) return response;
      isLost = true;
      await rename(clientOf(), 'Lovelace');
      throw new TypeError('The connection broke.');
    };
    expect((await rename(clientOf({ fetch: losing }), 'Byron')).attempts).toHaveLength(2);
    const { customers } = await control(`/state?businessUnit=${SLUG}`);
    expect(customers).toMatchObject([{ LastName: 'Lovelace' }]);
  });

  it('or a 503 is retried and returns the same session', async () => {
    await control('/faults', { kind: 'status', status: 503, times: 2 });
    const { attempts } = await clientOf().payments.create(PAYMENT).withResponse();
    expect(attempts).toHaveLength(3);
    expect(await sessionIds()).toHaveLength(1);
  });

  it('or a crash returns the same session for the caller’s idempotencyKey', async () => {
    const options = { idempotencyKey: 'order-4' };
    const first = await clientOf().payments.create(PAYMENT, options);
    const again = await clientOf().payments.create(PAYMENT, options);
    expect(again.sessionUrl).toBe(first.sessionUrl);
    await control('/clock', { advance: '10m' });
    const later = await clientOf().payments.create(PAYMENT, options);
    expect(later.sessionId).toBe(first.sessionId);
    expect(later.expiresInMs, 'it was created ten minutes ago').toBeLessThanOrEqual(20 * 60_000);
    expect(later.expiresInMs).toBeGreaterThan(19 * 60_000);
    await control('/clock', { advance: '21m' });
    expect((await clientOf().payments.create(PAYMENT, options)).expiresInMs).toBe(0);
    const other = await failure(clientOf().payments.create({ ...PAYMENT, PaymentDescriptor: 'x' }, options));
    expect(other).toMatchObject({
      kind: 'validation',
      status: 422,
      errors: [{ code: 'idempotency_key_reused' }],
    });
  });
});

it('R-26 replaces a taken reference', async () => {
  const client = clientOf();
  const request = { ...PAYMENT, ClientReference: 'order-5' };
  await client.payments.create(request);
  expect(await failure(client.payments.create(request))).toMatchObject({
    kind: 'referenceConflict',
    ambiguous: false,
    errors: [{ code: 'client_reference_taken', field: 'ClientReference' }],
  });
  const onReferenceConflict = ({ reference }: { reference: string }) => `${reference}-b`;
  const { sessionId } = await client.payments.create(request, { onReferenceConflict });
  expect((await client.sessions.retrieve(SLUG, sessionId)).ClientReference).toBe('order-5-b');
});

describe('R-43 refusals', () => {
  it('name every field', async () => {
    const wrong = {
      ...PAYMENT,
      Channel: 'POS',
      ClientUser,
      Charges: [{ Amount: 1.5 }],
    } as unknown as PaymentSessionRequest;
    const error = await failure(clientOf({ preflight: false }).payments.create(wrong));
    expect(error).toMatchObject({ kind: 'validation', status: 400 });
    expect(error.errors.map(({ field, code }) => `${field} ${code}`).toSorted()).toEqual([
      'Charges[0].Amount invalid',
      'ClientUser not_allowed',
      'PosUser required',
    ]);
  });
  it('R-50 R-9 D-4 E-4 have a kind for keys, business units, new accounts and unknown accounts', async () => {
    const stranger = clientOf({ apiKey: 'stg_unknown' });
    expect(await failure(stranger.payments.create(PAYMENT))).toMatchObject({
      kind: 'authentication',
      status: 401,
    });
    const client = clientOf();
    const elsewhere = { ...PAYMENT, BusinessUnitSlug: 'elsewhere' };
    expect(await failure(client.payments.create(elsewhere))).toMatchObject({
      kind: 'permission',
      status: 403,
    });
    expect(await failure(client.autopay.create({ ...MANAGED, SyncAccount: false }))).toMatchObject({
      kind: 'validation',
      errors: [{ code: 'account_not_synced', field: 'SyncAccount' }],
    });
    const event = { businessUnitSlug: SLUG, accountNumber: 'none', subAccountNumber: '' };
    expect(await failure(client.events.unenrollAutopay(event))).toMatchObject({
      kind: 'validation',
      errors: [{ code: 'account_not_found' }],
    });
  });
});

it('R-54 verifies a webhook of the service, also during secret rotation', async () => {
  const { sessionId } = await clientOf().payments.create({ ...PAYMENT, ClientReference: 'order-6' });
  received.length = 0;
  await control('/clock', { advance: '31m' });
  expect(received).toHaveLength(1);
  const [{ body, headers } = { body: '', headers: {} }] = received;
  const event = await verifyWebhook(body, headers, [SECRETS[1] ?? '', SECRETS[0] ?? '']);
  expect(event).toMatchObject({
    type: 'session.expired',
    data: { PaymentSessionIdentifier: sessionId, ClientReference: 'order-6', Status: 'Expired' },
  });
  expect((await failure(verifyWebhook(body, headers, SECRETS[1] ?? ''))).kind).toBe('signature');
});
