/**
 * Merchants and payers on services that crash. Each request is retried unchanged until it gets a response. All responses
 * are recorded and compared with the database at the end.
 */
import { randomUUID } from 'node:crypto';
import { BUSINESS_UNIT, type Service } from '../harness/index.js';

export interface Acknowledged {
  /** Session ids, by client reference. */
  sessions: Map<string, string>;
  /** Amounts in cents, by session. Each amount is used once. */
  paid: Map<string, number>;
  /** Payments that were in flight at their payer's last status request. */
  inFlight: Map<string, { amount: number; ask: () => Promise<string> }>;
  /** Account numbers. */
  enrolled: Set<string>;
  /** E-mail addresses of customers with one saved method. */
  saved: Set<string>;
  /** Successful requests. */
  answered: number;
  /** Requests whose connection was cut before a response. */
  cut: number;
}

const CARD = {
  method: 'Credit Card',
  cardNumber: '4242424242424242',
  expiry: '12/34',
  securityCode: '123',
  name: 'Dana Reyes',
  zipCode: '04101',
};

export function createPayers(
  services: readonly Service[],
  random: () => number,
): {
  acknowledged: Acknowledged;
  /** Runs one payer's actions until aborted, and finishes the last one. */
  work: (until: AbortSignal, firstTurn: number) => Promise<void>;
} {
  const acknowledged: Acknowledged = {
    sessions: new Map(),
    paid: new Map(),
    inFlight: new Map(),
    enrolled: new Set(),
    saved: new Set(),
    answered: 0,
    cut: 0,
  };
  let last = 0;
  const pick = (): Service => services[Math.floor(random() * services.length)] as Service;

  /** Sends the same request to the processes in turn until one responds with a status below 500. */
  const insist = async (path: string, headers: Record<string, string>, body?: unknown): Promise<unknown> => {
    const bodies: string[] = [];
    const deadline = Date.now() + 120_000;
    while (true) {
      const result = await fetch(`${pick().url}${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(20_000),
      })
        .then(async (response) => ({ status: response.status, body: (await response.json()) as unknown }))
        .catch((error: unknown) => {
          bodies.push(`${String(error)} ${String((error as Error).cause)}`);
          return null;
        });
      if (result !== null && result.status === 200) {
        acknowledged.answered++;
        return result.body;
      }
      // 409: the first attempt of this request is still running, or its process died while it was.
      if (result !== null && result.status < 500 && result.status !== 409) {
        throw new Error(`${path}: ${result.status} ${JSON.stringify(result.body)}`);
      }
      if (result === null) acknowledged.cut++;
      else bodies.push(`${result.status} ${JSON.stringify(result.body)}`);
      if (Date.now() > deadline)
        throw new Error(`${path} was not answered within two minutes:\n${[...new Set(bodies)].join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  const create = async (
    path: string,
    request: object,
  ): Promise<{ id: string; base: string; bearer: string }> => {
    const headers = { 'x-service-api-key': services[0]!.apiKey, 'idempotency-key': randomUUID() };
    const envelope = (await insist(path, headers, { BusinessUnitSlug: BUSINESS_UNIT, ...request })) as {
      data: { PaymentSessionIdentifier: string; PaymentLogInLink: string };
    };
    const url = new URL(envelope.data.PaymentLogInLink);
    return {
      id: envelope.data.PaymentSessionIdentifier,
      base: url.pathname,
      bearer: `Bearer ${url.hash.slice(1)}`,
    };
  };

  const payOnce = async (): Promise<void> => {
    const amount = 1000 + ++last;
    const reference = `reference-${amount}`;
    const { id, base, bearer } = await create('/integrations/embedded/initiate', {
      Channel: 'QuickPay',
      ClientReference: reference,
      Charges: [{ Amount: amount }],
    });
    acknowledged.sessions.set(reference, id);
    const attemptId = randomUUID();
    const pay = { attemptId, source: CARD, saveMethod: false, charges: [{ index: 0, amount }], fields: {} };
    const headers = { authorization: bearer };
    const { data } = (await insist(`${base}/api/pay`, headers, pay)) as { data: { status: string } };
    if (data.status === 'succeeded') acknowledged.paid.set(id, amount);
    else {
      const ask = async (): Promise<string> =>
        ((await insist(`${base}/api/attempts/${attemptId}`, headers)) as { data: { status: string } }).data
          .status;
      acknowledged.inFlight.set(id, { amount, ask });
    }
  };

  const enrollOnce = async (): Promise<void> => {
    const number = `account-${++last}`;
    const email = `${number}@example.com`;
    const { base, bearer } = await create('/integrations/embedded/initiate-manage-autopay', {
      SyncAccount: true,
      ClientAccount: { AccountNumber: number, Name: 'Dana Reyes' },
      ClientUser: { EmailAddress: email },
    });
    const headers = { authorization: bearer };
    const method = { requestId: randomUUID(), source: CARD, makeDefault: true };
    const saved = (await insist(`${base}/api/methods`, headers, method)) as { data: { id: string } };
    acknowledged.saved.add(email);
    await insist(`${base}/api/autopay/enroll`, headers, { methodId: saved.data.id });
    acknowledged.enrolled.add(number);
  };

  return {
    acknowledged,
    work: async (until, firstTurn) => {
      for (let turn = firstTurn; !until.aborted; turn++) await (turn % 4 === 3 ? enrollOnce() : payOnce());
    },
  };
}
