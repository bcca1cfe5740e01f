/**
 * Merchants and payers that send requests at a steady rate, without retries, so that every failure is visible. All
 * responses are recorded and compared with the database at the end.
 */
import { randomUUID } from 'node:crypto';
import { BUSINESS_UNIT, type Service } from '../harness/index.js';

export interface LoadResponse {
  readonly what: 'create' | 'pay';
  /** 0 if the connection ended without a response. */
  readonly status: number;
  readonly body: string;
  /** `performance.now()`. */
  readonly sentAt: number;
  readonly ms: number;
}

export interface Load {
  readonly responses: readonly LoadResponse[];
  /** Ids of sessions whose creation was acknowledged. */
  readonly created: ReadonlySet<string>;
  /** Cents of acknowledged payments, by session. */
  readonly paid: ReadonlyMap<string, number>;
  /** Stops sending, and resolves when every request has a response. */
  stop(): Promise<void>;
}

export const CARD = {
  method: 'Credit Card',
  cardNumber: '4242424242424242',
  expiry: '12/34',
  securityCode: '123',
  name: 'Dana Reyes',
  zipCode: '04101',
};

/** @param perSecond requests per second, a third of which are payments */
export function startLoad(services: readonly Service[], perSecond: number): Load {
  const responses: LoadResponse[] = [];
  const created = new Set<string>();
  const paid = new Map<string, number>();
  const flying = new Set<Promise<void>>();
  let turn = 0;

  const send = async (
    what: LoadResponse['what'],
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<unknown> => {
    const service = services[turn % services.length]!;
    const sentAt = performance.now();
    const { status, text } = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error: unknown) => ({ status: 0, text: `${String(error)} ${String((error as Error).cause)}` }),
    );
    responses.push({ what, status, body: text, sentAt, ms: performance.now() - sentAt });
    return status === 200 ? (JSON.parse(text) as unknown) : null;
  };

  const create = async (amount: number): Promise<string | null> => {
    const headers = { 'x-service-api-key': services[0]!.apiKey, 'idempotency-key': randomUUID() };
    const envelope = (await send('create', '/integrations/embedded/initiate', headers, {
      BusinessUnitSlug: BUSINESS_UNIT,
      Channel: 'QuickPay',
      ClientReference: randomUUID(),
      Charges: [{ Amount: amount }],
    })) as { data: { PaymentSessionIdentifier: string; PaymentLogInLink: string } } | null;
    if (envelope === null) return null;
    created.add(envelope.data.PaymentSessionIdentifier);
    return envelope.data.PaymentLogInLink;
  };

  const pay = async (link: string, amount: number): Promise<void> => {
    const { pathname, hash } = new URL(link);
    const headers = { authorization: `Bearer ${hash.slice(1)}` };
    const charges = [{ index: 0, amount }];
    const body = { attemptId: randomUUID(), source: CARD, saveMethod: false, charges, fields: {} };
    const envelope = (await send('pay', `${pathname}/api/pay`, headers, body)) as {
      data: { status: string };
    } | null;
    if (envelope?.data.status === 'succeeded') paid.set(pathname.split('/').at(-1)!, amount);
  };

  const buy = async (isPaid: boolean, amount: number): Promise<void> => {
    const link = await create(amount);
    if (link !== null && isPaid) await pay(link, amount);
  };
  // Pays every second session, so two iterations make three requests.
  const timer = setInterval(() => {
    turn += 1;
    const one = buy(turn % 2 === 0, 1_000 + turn).finally(() => flying.delete(one));
    flying.add(one);
  }, 1_500 / perSecond);

  return {
    responses,
    created,
    paid,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(flying);
    },
  };
}
