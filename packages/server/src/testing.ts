/** For a merchant's own tests: a service without a network, and webhooks signed as the service signs them. */
import {
  EVENTS_ENDPOINT,
  type Flow,
  FLOWS,
  QUERY_ENDPOINT,
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
  /** What `sessions.retrieve` answers for a session from now on, besides what it was created with. */
  setStatus(sessionId: string, status: string): void;
}

interface FakeSession {
  flow: Flow;
  status: string;
  request: Record<string, unknown>;
  createdAt: number;
}

const pathOf = (url: string, paths: readonly string[]): string | undefined =>
  paths.find((path) => new URL(url).pathname.endsWith(path));

/**
 * A service in memory, for unit tests of code that uses the client: it creates sessions, tells of them and takes
 * events, but checks nothing. For everything else run the real one (`@embedded-sessions/service`) in the same process.
 *
 * @example
 * const service = createFakeService();
 * const client = createServiceClient({ environment: 'staging', baseUrl: 'https://service.test', apiKey: 'test', fetch: service.fetch });
 * service.refuseNext({ status: 409, errors: [{ code: 'client_reference_taken' }] });
 */
export function createFakeService(): FakeService {
  const flows = Object.keys(FLOWS) as Flow[];
  const paths = [...flows.map((flow) => FLOWS[flow].endpoint), QUERY_ENDPOINT, EVENTS_ENDPOINT];
  const requests: FakeRequest[] = [];
  const refusals: FakeRefusal[] = [];
  const sessions = new Map<string, FakeSession>();

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
      ...(ClientReference === undefined ? {} : { ClientReference }),
      ...(CustomMeta === undefined ? {} : { CustomMeta }),
      Charges,
      Payments: [],
      CreatedAt: new Date(session.createdAt).toISOString(),
      ExpiresAt: new Date(session.createdAt + FLOWS[session.flow].lifetimeMs).toISOString(),
    });
  };

  return {
    requests,
    refuseNext: (refusal) => void refusals.push(refusal),
    setStatus: (sessionId, status) => {
      const session = sessions.get(sessionId);
      if (session === undefined) throw new Error(`The fake service has no session ${sessionId}.`);
      session.status = status;
    },
    fetch: async (request) => {
      const path = pathOf(request.url, paths);
      if (path === undefined) return unknown('There is no such endpoint.');
      const body = (await request.json()) as Record<string, unknown>;
      requests.push({ path, body, idempotencyKey: request.headers.get('idempotency-key') ?? undefined });
      const refusal = refusals.shift();
      if (refusal !== undefined) return refused(refusal);
      if (path === EVENTS_ENDPOINT) return accepted({});
      if (path === QUERY_ENDPOINT) return told(body['PaymentSessionIdentifier']);
      const flow = flows.find((flow) => FLOWS[flow].endpoint === path);
      return flow === undefined ? unknown('There is no such endpoint.') : created(flow, body);
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
  event: WebhookEvent,
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
