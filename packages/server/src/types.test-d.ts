import { expectTypeOf } from 'vitest';
import type {
  ManagementSession,
  Payment,
  PaymentSession,
  Refund,
  SessionDetails,
  WebhookEventOf,
} from '@embedded-sessions/server-types';
import type { App, TestService } from '@embedded-sessions/service';
import {
  type AnyServiceError,
  type Attempt,
  type CreatedSession,
  createServiceClient,
  type DevelopmentClient,
  type Environment,
  isServiceError,
  type ServiceClient,
  ServiceError,
  type ServiceProtocolError,
  verifyWebhook,
} from './index.js';

const base = { baseUrl: 'https://x.example', apiKey: 'k' } as const;
const ClientUser = { EmailAddress: 'ada@example.com' };
const client = createServiceClient({ ...base, environment: 'staging' });

// ── R-6 the environment decides which methods exist ─────────────────────────────────────────────────────────────────
expectTypeOf(client).toEqualTypeOf<ServiceClient>();
declare const environment: Environment;
expectTypeOf(createServiceClient({ ...base, environment })).toEqualTypeOf<ServiceClient>();
expectTypeOf(
  createServiceClient({ ...base, baseUrls: { staging: 'https://x.example' } }),
).toEqualTypeOf<ServiceClient>();
const development = createServiceClient({ ...base, environment: 'development' });
expectTypeOf(development).toEqualTypeOf<DevelopmentClient>();
void development.events.unenrollAutopay({ businessUnitSlug: 'x', accountNumber: '1', subAccountNumber: '' });
// @ts-expect-error R-6 development has no sessions
void development.payments;
// @ts-expect-error R-6 nor the query
void development.sessions;

// ── options ─────────────────────────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error R-50 no key
createServiceClient({ environment: 'staging', baseUrl: 'https://x.example' });
// @ts-expect-error not an environment
createServiceClient({ ...base, environment: 'test' });
// From `process.env`, so possibly undefined.
declare const variables: Record<'environment' | 'baseUrl' | 'apiKey', string | undefined>;
expectTypeOf(
  createServiceClient({ ...variables, environment: variables.environment as Environment | undefined }),
).toEqualTypeOf<ServiceClient>();
createServiceClient({ ...base, apiKey: async () => 'k', fetch, onRequest: ({ headers }) => void headers });

// Optional properties may be `undefined`, with `exactOptionalPropertyTypes` too.
declare const unset: undefined;
const none = { timeoutMs: unset, totalTimeoutMs: unset, maxRetries: unset, preflight: unset };
createServiceClient({ ...base, ...none, baseUrls: unset, fetch: unset, onRequest: unset, readEvent: unset });
void client.sessions.cancel('x', '1', { ...none, signal: unset, idempotencyKey: unset });

// An in-process service, as `createApp` and `createTestService` return it.
declare const app: App;
declare const service: TestService;
createServiceClient({ ...base, environment: 'staging', fetch: app.fetch });
createServiceClient({ ...base, environment: 'staging', fetch: service.fetch });

// ── requests ────────────────────────────────────────────────────────────────────────────────────────────────────────
const charges = { BusinessUnitSlug: 'x', Charges: [{ Amount: 1 }] } as const;
void client.payments.create({ ...charges, Channel: 'POS', PosUser: 'a@b.c' });
// @ts-expect-error R-23 ClientUser on POS
void client.payments.create({ ...charges, Channel: 'POS', PosUser: 'a@b.c', ClientUser });
// @ts-expect-error R-24 PosUser on QuickPay
void client.payments.create({ ...charges, Channel: 'QuickPay', PosUser: 'a@b.c' });
// @ts-expect-error R-22 one of two
void client.payments.create({ ...charges, Channel: 'QuickPay', SuccessUrl: 'https://a.example' });
// @ts-expect-error R-21 none
void client.payments.create({ BusinessUnitSlug: 'x', Channel: 'QuickPay', Charges: [] });
// @ts-expect-error R-20 an account is required
void client.autopay.create({ BusinessUnitSlug: 'x', ClientUser });
// @ts-expect-error D-5 no account there
void client.wallet.create({ BusinessUnitSlug: 'x', ClientUser, ClientAccount: { AccountNumber: '1' } });
// @ts-expect-error E-1 the payload must be an object, which the client serializes
void client.events.unenrollAutopay({ businessUnitSlug: 'x', payload: '{}' });
// @ts-expect-error E-4 subAccountNumber is required
void client.events.unenrollAutopay({ businessUnitSlug: 'x', accountNumber: '1' });

// ── responses
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────
const created = client.payments.create({ ...charges, Channel: 'QuickPay' });
expectTypeOf(await created).toEqualTypeOf<CreatedSession<PaymentSession>>();
expectTypeOf(
  (await client.wallet.create({ BusinessUnitSlug: 'x', ClientUser })).raw.data,
).toEqualTypeOf<ManagementSession | null>();
expectTypeOf((await created).environment).toEqualTypeOf<'staging' | 'production'>();
expectTypeOf((await created.withResponse()).attempts).toEqualTypeOf<readonly Attempt[]>();
expectTypeOf(
  client.payments.refund({ BusinessUnitSlug: 'x', PaymentIdentifier: 'p' }),
).resolves.toEqualTypeOf<Refund>();
expectTypeOf(client.payments.all({ BusinessUnitSlug: 'x' })).toEqualTypeOf<AsyncIterable<Payment>>();
void client.autopay.charge({
  BusinessUnitSlug: 'x',
  AccountNumber: '1',
  Amount: 1,
  // @ts-expect-error R-83 once per ClientReference: it is required
  ClientReference: undefined,
});
expectTypeOf(await client.sessions.retrieve('x', '1')).toEqualTypeOf<SessionDetails>();
expectTypeOf((await verifyWebhook('', new Headers(), '')).type).toExtend<string>();

const event = await verifyWebhook('', new Headers(), '');
if (event.type === 'payment.succeeded')
  expectTypeOf(event).toEqualTypeOf<WebhookEventOf<'payment.succeeded'>>();
// R-54 required fields of an event can be read without a check; optional ones can't
if (event.type === 'payment.succeeded') expectTypeOf(event.data.Payment.Amount).toEqualTypeOf<number>();
if (event.type === 'refund.failed')
  expectTypeOf([event.data.Payment.Id, event.data.Refund.Amount] as const).toEqualTypeOf<
    readonly [string, number]
  >();
if (event.type === 'scheduled_payment.failed')
  expectTypeOf(event.data.Payment).toEqualTypeOf<Payment | undefined>();
if (event.type === 'session.expired') expectTypeOf(event.data.Refund).toEqualTypeOf<Refund | undefined>();
// @ts-expect-error not an event
void (event.type === 'payment.refunded');

// ── errors ──────────────────────────────────────────────────────────────────────────────────────────────────────────
declare const thrown: unknown;
if (isServiceError(thrown)) {
  expectTypeOf(thrown).toEqualTypeOf<AnyServiceError>();
  expectTypeOf(thrown.attempts).toEqualTypeOf<readonly Attempt[]>();
  if (thrown.kind === 'referenceConflict') expectTypeOf(thrown.ambiguous).toEqualTypeOf<boolean>();
  else expectTypeOf(thrown.ambiguous).toEqualTypeOf<undefined>();
  if (thrown.kind === 'protocol') expectTypeOf(thrown).toEqualTypeOf<ServiceProtocolError>();
  // @ts-expect-error not a kind
  void (thrown.kind === 'nope');
}
if (thrown instanceof ServiceError) expectTypeOf(thrown.message).toEqualTypeOf<string>();
