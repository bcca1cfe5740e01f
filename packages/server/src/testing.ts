/** For your own tests: a service without a network, and webhooks signed the way the service signs them. */
import {
  EVENTS_ENDPOINT,
  type Flow,
  FLOWS,
  type Payment,
  QUERY_ENDPOINT,
  type WebhookData,
  type WebhookEvent,
} from '@embedded-sessions/server-types';
import { BACK_OFFICE_ENDPOINTS, type BackOfficeCall } from '@embedded-sessions/server-types/back-office';
import type { Fetch } from './transport.js';
import { keyOf } from './webhook.js';

/** A request that the fake service received, without its headers (and so without the API key). */
export interface FakeRequest {
  path: string;
  body: Record<string, unknown>;
  idempotencyKey: string | undefined;
}

/** An error response for the fake service to return. */
export interface FakeRefusal {
  status: number;
  errors: { code: string; message?: string; field?: string }[];
}

/** See {@link createFakeService}. */
export interface FakeService {
  /** Pass it to the client as its `fetch` option. */
  fetch: Fetch;
  /** Every request so far, oldest first. */
  requests: FakeRequest[];
  /** Refuses the next request. Each further call refuses one more. */
  refuseNext(refusal: FakeRefusal): void;
  /** Sets the status that `sessions.retrieve` returns. A payment session that becomes `Succeeded` gets a payment. */
  setStatus(sessionId: string, status: string): void;
}

type Body = Record<string, unknown>;
type Endpoint = (body: Body) => Response;

interface FakeSession {
  flow: Flow;
  status: string;
  request: Body;
  createdAt: number;
}

const accepted = (data: unknown): Response => Response.json({ hasErrors: false, errors: [], data });

const refused = ({ status, errors }: FakeRefusal): Response =>
  Response.json(
    { hasErrors: true, errors: errors.map((error) => ({ message: error.code, ...error })), data: null },
    { status },
  );

const notFound = (message: string): Response =>
  refused({ status: 404, errors: [{ code: 'not_found', message }] });

const sumOf = ({ Charges = [] }: { Charges?: { Amount: number }[] }): number =>
  Charges.reduce((sum, { Amount }) => sum + Amount, 0);

/** The sessions and payments of one fake service. */
class Records {
  readonly #sessions = new Map<string, FakeSession>();
  readonly #payments: Payment[] = [];

  readonly endpoints: Readonly<Record<string, Endpoint>> = {
    ...Object.fromEntries(
      Object.entries(FLOWS).map(([flow, { endpoint }]) => [
        endpoint,
        (body: Body) => this.#create(flow as Flow, body),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(BACK_OFFICE_ENDPOINTS).map(([call, path]) => [
        path,
        this.#backOffice()[call as BackOfficeCall],
      ]),
    ),
    [QUERY_ENDPOINT]: ({ PaymentSessionIdentifier }) => this.#retrieve(String(PaymentSessionIdentifier)),
    [EVENTS_ENDPOINT]: () => accepted({}),
  };

  setStatus(id: string, status: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Error(`The fake service has no session ${id}.`);

    session.status = status;

    if (session.flow !== 'payment' || status !== 'Succeeded') return;

    const { ClientReference } = session.request;
    this.#pay(sumOf(session.request), {
      PaymentSessionIdentifier: id,
      ...(typeof ClientReference === 'string' && { ClientReference }),
    });
  }

  #create(flow: Flow, request: Body): Response {
    const id = `fake_${this.#sessions.size + 1}`;
    const status = flow === 'payment' ? 'RequiresPaymentSource' : 'Open';
    this.#sessions.set(id, { flow, status, request, createdAt: Date.now() });

    return accepted({
      PaymentSessionIdentifier: id,
      PaymentLogInLink: `https://service.test/s/${id}#fake`,
      Status: status,
    });
  }

  #retrieve(id: string): Response {
    const session = this.#sessions.get(id);
    if (session === undefined) return notFound('There is no such session.');

    const { ClientReference, CustomMeta, Charges = [] } = session.request;
    return accepted({
      PaymentSessionIdentifier: id,
      Flow: session.flow,
      Status: session.status,
      ClientReference,
      CustomMeta,
      Charges,
      Payments: this.#payments.filter(({ PaymentSessionIdentifier }) => PaymentSessionIdentifier === id),
      CreatedAt: new Date(session.createdAt).toISOString(),
      ExpiresAt: new Date(session.createdAt + FLOWS[session.flow].lifetimeMs).toISOString(),
    });
  }

  #pay(amount: number, details: Partial<Payment>): Payment {
    const payment: Payment = {
      Id: `fake_payment_${this.#payments.length + 1}`,
      Amount: amount,
      Refunded: 0,
      Method: 'Credit Card',
      Status: 'succeeded',
      Last4: '4242',
      CreatedAt: new Date().toISOString(),
      ...details,
    };
    this.#payments.push(payment);
    return payment;
  }

  #backOffice(): Readonly<Record<BackOfficeCall, Endpoint>> {
    const paymentOf = (id: unknown) => this.#payments.find(({ Id }) => Id === id);
    let refunds = 0;

    return {
      refund({ PaymentIdentifier, Amount }) {
        const payment = paymentOf(PaymentIdentifier);
        if (payment === undefined) return notFound('There is no such payment.');

        const amount = typeof Amount === 'number' ? Amount : payment.Amount - payment.Refunded;
        payment.Refunded += amount;
        refunds += 1;

        return accepted({
          RefundIdentifier: `fake_refund_${refunds}`,
          PaymentIdentifier,
          Amount: amount,
          Status: 'succeeded',
          Refundable: payment.Amount - payment.Refunded,
        });
      },

      list: () => accepted({ Payments: this.#payments }),

      cancel: ({ PaymentSessionIdentifier }) => {
        const session = this.#sessions.get(String(PaymentSessionIdentifier));
        if (session === undefined) return notFound('There is no such session.');
        session.status = 'Canceled';
        return accepted({ Status: session.status });
      },

      charge: ({ Amount, ClientReference, ChargeOn }) => {
        const { Id, Status } = this.#pay(Number(Amount), {
          ClientReference: String(ClientReference),
          ...(typeof ChargeOn === 'string' && { Status: 'Scheduled' }),
        });
        return accepted({ PaymentIdentifier: Id, Status });
      },

      cancelPayment({ PaymentIdentifier }) {
        const payment = paymentOf(PaymentIdentifier);
        if (payment?.Status !== 'Scheduled' && payment?.Status !== 'Canceled')
          return refused({ status: 409, errors: [{ code: 'not_cancelable' }] });
        payment.Status = 'Canceled';
        return accepted({ Status: payment.Status });
      },
    };
  }
}

/**
 * Creates a service in memory, for unit tests of code that uses the client. It creates and returns sessions, accepts
 * events, refunds and charges, and lists all payments on one page. It validates nothing: to test that, run the real
 * service (`@embedded-sessions/service`) in the same process.
 *
 * @example
 * const service = createFakeService();
 * const client = createServiceClient({ environment: 'staging', baseUrl: 'https://service.test', apiKey: 'test', fetch: service.fetch });
 * service.refuseNext({ status: 409, errors: [{ code: 'client_reference_taken' }] });
 */
export function createFakeService(): FakeService {
  const records = new Records();
  const requests: FakeRequest[] = [];
  const refusals: FakeRefusal[] = [];

  return {
    requests,
    refuseNext: (refusal) => void refusals.push(refusal),
    setStatus: (sessionId, status) => records.setStatus(sessionId, status),

    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const found = Object.entries(records.endpoints).find(([path]) => pathname.endsWith(path));
      if (found === undefined) return notFound('There is no such endpoint.');

      const [path, endpoint] = found;
      const body = (await request.json()) as Body;
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
 * Creates a webhook as the service would send it. `secret` is `whsec_` and base64.
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
