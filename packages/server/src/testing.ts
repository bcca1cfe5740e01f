/** For a merchant's own tests: a service without a network, and webhooks signed as the service signs them. */
import {
  BACK_OFFICE_ENDPOINTS,
  type BackOfficeCall,
  EVENTS_ENDPOINT,
  type Flow,
  FLOWS,
  type Payment,
  QUERY_ENDPOINT,
  type WebhookData,
  type WebhookEvent,
} from '@embedded-sessions/server-types';
import type { Fetch } from './request.js';
import { keyOf } from './webhook.js';

/** A request that the fake service got; without its headers, so without the API key. */
export interface FakeRequest {
  path: string;
  body: Record<string, unknown>;
  idempotencyKey: string | undefined;
}

/** What the fake service is to answer instead. */
export interface FakeRefusal {
  status: number;
  errors: { code: string; message?: string; field?: string }[];
}

/** See {@link createFakeService}. */
export interface FakeService {
  /** For the client's `fetch` option. */
  fetch: Fetch;
  /** Every request so far, oldest first. */
  requests: FakeRequest[];
  /** Refuses the next request; called twice, the next two. */
  refuseNext(refusal: FakeRefusal): void;
  /**
   * What `sessions.retrieve` answers for a session from now on, besides what it was created with; of a payment session
   * that is `Succeeded`, its payment too.
   */
  setStatus(sessionId: string, status: string): void;
}

type Endpoint = (body: Record<string, unknown>) => Response;

interface FakeSession {
  flow: Flow;
  status: string;
  request: Record<string, unknown>;
  createdAt: number;
}

/**
 * A service in memory, for unit tests of code that uses the client: it creates sessions, tells of them, takes events,
 * refunds and charges, and lists all payments on one page, but checks nothing. For everything else run the real one (`@embedded-sessions/service`) in the same process.
 *
 * @example
 * const service = createFakeService();
 * const client = createServiceClient({ environment: 'staging', baseUrl: 'https://service.test', apiKey: 'test', fetch: service.fetch });
 * service.refuseNext({ status: 409, errors: [{ code: 'client_reference_taken' }] });
 */
export function createFakeService(): FakeService {
  const requests: FakeRequest[] = [];
  const refusals: FakeRefusal[] = [];
  const sessions = new Map<string, FakeSession>();
  const payments: Payment[] = [];

  const accepted = (data: unknown) => Response.json({ hasErrors: false, errors: [], data });
  const refused = ({ status, errors }: FakeRefusal) =>
    Response.json(
      { hasErrors: true, errors: errors.map((error) => ({ message: error.code, ...error })), data: null },
      { status },
    );
  const unknown = (message: string) => refused({ status: 404, errors: [{ code: 'not_found', message }] });

  const created = (flow: Flow, request: Record<string, unknown>) => {
    const id = `fake_${sessions.size + 1}`;
    const status = flow === 'payment' ? 'RequiresPaymentSource' : 'Open';
    sessions.set(id, { flow, status, request, createdAt: Date.now() });
    return accepted({
      PaymentSessionIdentifier: id,
      PaymentLogInLink: `https://service.test/s/${id}#fake`,
      Status: status,
    });
  };
  const told = (id: unknown) => {
    const session = sessions.get(String(id));
    if (session === undefined) return unknown('There is no such session.');
    const { ClientReference, CustomMeta, Charges = [] } = session.request;
    return accepted({
      PaymentSessionIdentifier: id,
      Flow: session.flow,
      Status: session.status,
      ClientReference,
      CustomMeta,
      Charges,
      Payments: payments.filter(({ PaymentSessionIdentifier }) => PaymentSessionIdentifier === id),
      CreatedAt: new Date(session.createdAt).toISOString(),
      ExpiresAt: new Date(session.createdAt + FLOWS[session.flow].lifetimeMs).toISOString(),
    });
  };

  const paid = (Amount: number, about: Partial<Payment>): Payment => {
    const payment: Payment = {
      Id: `fake_payment_${payments.length + 1}`,
      Amount,
      Refunded: 0,
      Method: 'Credit Card',
      Status: 'succeeded',
      Last4: '4242',
      CreatedAt: new Date().toISOString(),
      ...about,
    };
    payments.push(payment);
    return payment;
  };
  const sumOf = ({ Charges = [] }: { Charges?: { Amount: number }[] }): number =>
    Charges.reduce((sum, { Amount }) => sum + Amount, 0);

  const backOffice: Readonly<Record<BackOfficeCall, Endpoint>> = {
    refund({ PaymentIdentifier, Amount }) {
      const payment = payments.find(({ Id }) => Id === PaymentIdentifier);
      if (payment === undefined) return unknown('There is no such payment.');
      const amount = typeof Amount === 'number' ? Amount : payment.Amount - payment.Refunded;
      payment.Refunded += amount;
      return accepted({
        RefundIdentifier: `fake_refund_${requests.length}`,
        PaymentIdentifier,
        Amount: amount,
        Status: 'succeeded',
        Refundable: payment.Amount - payment.Refunded,
      });
    },
    list: () => accepted({ Payments: payments }),
    cancel({ PaymentSessionIdentifier: id }) {
      const session = sessions.get(String(id));
      if (session === undefined) return unknown('There is no such session.');
      session.status = 'Canceled';
      return accepted({ Status: session.status });
    },
    charge({ Amount, ClientReference }) {
      const payment = paid(Number(Amount), { ClientReference: String(ClientReference) });
      return accepted({ PaymentIdentifier: payment.Id, Status: payment.Status });
    },
  };

  const endpoints: [path: string, endpoint: Endpoint][] = [
    ...(Object.keys(FLOWS) as Flow[]).map((flow): [string, Endpoint] => [
      FLOWS[flow].endpoint,
      (body) => created(flow, body),
    ]),
    ...(Object.keys(backOffice) as BackOfficeCall[]).map((call): [string, Endpoint] => [
      BACK_OFFICE_ENDPOINTS[call],
      backOffice[call],
    ]),
    [QUERY_ENDPOINT, (body) => told(body['PaymentSessionIdentifier'])],
    [EVENTS_ENDPOINT, () => accepted({})],
  ];

  return {
    requests,
    refuseNext: (refusal) => void refusals.push(refusal),
    setStatus: (sessionId, status) => {
      const session = sessions.get(sessionId);
      if (session === undefined) throw new Error(`The fake service has no session ${sessionId}.`);
      session.status = status;
      const reference = session.request['ClientReference'];
      if (session.flow === 'payment' && status === 'Succeeded')
        paid(sumOf(session.request), {
          PaymentSessionIdentifier: sessionId,
          ...(typeof reference === 'string' && { ClientReference: reference }),
        });
    },
    fetch: async (request) => {
      const found = endpoints.find(([path]) => new URL(request.url).pathname.endsWith(path));
      if (found === undefined) return unknown('There is no such endpoint.');
      const [path, endpoint] = found;
      const body = (await request.json()) as Record<string, unknown>;
      requests.push({ path, body, idempotencyKey: request.headers.get('idempotency-key') ?? undefined });
      const refusal = refusals.shift();
      return refusal === undefined ? endpoint(body) : refused(refusal);
    },
  };
}

/** See {@link signWebhook}. */
export interface SignedWebhook {
  body: string;
  headers: {
    'content-type': string;
    'webhook-id': string;
    'webhook-timestamp': string;
    'webhook-signature': string;
  };
}

/**
 * A webhook as the service would send it; `secret` is `whsec_` and base64.
 *
 * @example
 * const { body, headers } = await signWebhook(event, 'whsec_c2VjcmV0');
 * const response = await app.request('/webhooks', { method: 'POST', body, headers });
 */
export async function signWebhook(
  event: Omit<WebhookEvent, 'data'> & { data: WebhookData },
  secret: string,
  { id = `msg_${crypto.randomUUID()}`, at = Date.now() }: { id?: string; at?: number } = {},
): Promise<SignedWebhook> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(at / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), signed));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
    },
  };
}
