/** A merchant and a payer for tests: creates sessions with the API and uses the page API like a page. */
import { randomUUID } from 'node:crypto';
import { FLOWS, QUERY_ENDPOINT } from '@embedded-sessions/server-types';
import type { Flow } from '@embedded-sessions/server-types';
import type {
  Attempt,
  NewSource,
  PageResponse,
  PageError,
  PageSession,
  PayRequest,
  SavedMethod,
  ScheduledPayment,
  SchedulePageSession,
  ScheduleRequest,
} from '../src/shared/page.js';
import { API_KEY, REQUESTS, SLUG } from './merchant.js';

export const CARD = {
  method: 'Credit Card' as const,
  cardNumber: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '737',
  name: 'Ada Byron',
  country: 'US',
  zipCode: '10001',
};
export const DECLINED: NewSource = { ...CARD, cardNumber: '4000000000000002' };
export const BANK = {
  method: 'ACH' as const,
  accountType: 'checking' as const,
  holder: 'Ada Byron',
  routingNumber: '110000000',
  accountNumber: '000123456789',
};
export const RETURNED: NewSource = { ...BANK, accountNumber: '000111111116' };

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export interface Payer {
  readonly id: string;
  readonly secret: string;
  /** Resolves to the response's data. Rejects with {@link PageRefused} on a refusal. */
  get<T = PageSession>(path?: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  pay(change?: Partial<PayRequest>): Promise<Attempt>;
  addMethod(source?: NewSource): Promise<SavedMethod>;
  /** Schedules a payment, as a page does that lists all others. */
  schedule(
    payment: Partial<ScheduleRequest> & Pick<ScheduleRequest, 'amount' | 'date' | 'methodId'>,
  ): Promise<ScheduledPayment>;
  /** The raw response. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

export class PageRefused extends Error {
  constructor(
    readonly status: number,
    readonly errors: PageError[],
  ) {
    super(`${status} ${JSON.stringify(errors)}`);
  }
}

/** Expects a call to fail, and resolves to the refusal. */
export const refusal = (work: Promise<unknown>): Promise<PageRefused> =>
  work.then(
    () => Promise.reject(new Error('was not refused')),
    (error: unknown) => error as PageRefused,
  );

/** Sends a request whose body arrives only after `meanwhile`. */
export function sendSlowly(
  page: Payer,
  path: string,
  body: unknown,
  meanwhile: () => unknown,
): Promise<Response> {
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        await meanwhile();
        controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
        controller.close();
      },
    },
    // Pulled only when the service reads it.
    { highWaterMark: 0 },
  );
  return page.send(path, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
}

/** Calls the API like the merchant's server. */
export const asMerchant = (
  fetch: Fetch,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': API_KEY, ...headers },
    body: JSON.stringify({ BusinessUnitSlug: SLUG, ...body }),
  });

/** Queries a session like the merchant. */
export async function query<T = Record<string, unknown>>(fetch: Fetch, id: string): Promise<T> {
  const response = await asMerchant(fetch, QUERY_ENDPOINT, { PaymentSessionIdentifier: id });
  return ((await response.json()) as { data: T }).data;
}

/** Creates and opens a session. `body` is merged into a minimal one. */
export async function open(fetch: Fetch, flow: Flow, body: Record<string, unknown> = {}): Promise<Payer> {
  const response = await asMerchant(fetch, FLOWS[flow].endpoint, { ...REQUESTS[flow], ...body });
  const envelope = (await response.json()) as {
    errors: unknown[];
    data: { PaymentSessionIdentifier: string; PaymentLogInLink: string } | null;
  };
  if (!envelope.data) throw new Error(`session refused: ${JSON.stringify(envelope.errors)}`);
  return payer(
    fetch,
    envelope.data.PaymentSessionIdentifier,
    new URL(envelope.data.PaymentLogInLink).hash.slice(1),
  );
}

export function payer(fetch: Fetch, id: string, secret: string): Payer {
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`/s/${id}/api/${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string>),
      },
    });
  const read = async <T>(response: Response): Promise<T> => {
    const answer = (await response.json()) as PageResponse<T>;
    if (answer.ok) return answer.data;
    const wordless = answer.errors.find(({ message }) => !/\w \w/.test(message));
    if (wordless) throw new Error(`Refused without a message: ${JSON.stringify(wordless)}`);
    throw new PageRefused(response.status, answer.errors);
  };
  const post = async <T>(path: string, body: unknown = {}): Promise<T> =>
    read(await send(path, { method: 'POST', body: JSON.stringify(body) }));
  return {
    id,
    secret,
    send,
    post,
    get: async (path = 'session') => read(await send(path)),
    pay: (change = {}) =>
      post('pay', {
        attemptId: randomUUID(),
        source: CARD,
        saveMethod: false,
        charges: [{ index: 0, amount: 12_345 }],
        fields: {},
        ...change,
      } satisfies PayRequest),
    addMethod: (source = CARD) => post('methods', { requestId: randomUUID(), source, makeDefault: false }),
    async schedule(payment) {
      const { scheduled } = await read<SchedulePageSession>(await send('session'));
      const listed = scheduled.map(({ id: each }) => each);
      return post('schedule', { requestId: randomUUID(), listed, ...payment } satisfies ScheduleRequest);
    },
  };
}
