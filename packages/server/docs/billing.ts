import {
  createServiceClient,
  type Environment,
  isServiceError,
  verifyWebhook,
  type WebhookHeaders,
} from '@embedded-sessions/server';

const { env } = process;

/** One client per process. Missing values fail the first call. */
export const client = createServiceClient({
  environment: env['SERVICE_ENVIRONMENT'] as Environment | undefined,
  baseUrl: env['SERVICE_BASE_URL'],
  apiKey: env['SERVICE_API_KEY'],
});

interface Bill {
  /** Integer cents. */
  amount: number;
  name: string;
  sessions: string[];
  paid: boolean;
}
/** Replace it with your database. */
export const bills = new Map<string, Bill>([
  ['1001', { amount: 12_345, name: 'Ada Byron', sessions: [], paid: false }],
]);

/** Frameworks respond with the `status` of an error, and the service's 401 must not reach the payer. */
function serviceFailed(cause: unknown): never {
  throw new Error('The payment service failed.', { cause });
}

/** Creates a session to pay a bill, and returns what the page needs. The amount never comes from the page. */
export async function payBill(account: string) {
  const bill = bills.get(account);
  if (!bill || bill.paid) return undefined;

  const { sessionId, sessionUrl, environment, expiresInMs } = await client.payments
    .create({
      BusinessUnitSlug: 'harborlight-water',
      Channel: 'QuickPay',
      Charges: [{ Amount: bill.amount, ClientAccount: { AccountNumber: account, Name: bill.name } }],
      ClientReference: `bill-${account}-${crypto.randomUUID()}`, // unique forever, also after a restart
    })
    .catch(serviceFailed);
  bill.sessions.push(sessionId);
  return { sessionUrl, environment, expiresInMs };
}

/** Asks the service whether a bill is paid. Never trust the page for that. */
export async function confirmBill(account: string): Promise<boolean> {
  const bill = bills.get(account);
  const latest = bill?.sessions.at(-1);
  if (!bill || latest === undefined) return false;

  const { Status } = await client.sessions.retrieve('harborlight-water', latest).catch(serviceFailed);
  bill.paid ||= Status === 'Succeeded';
  return bill.paid;
}

/** Handles the raw text of a webhook and returns the response status. Idempotent, because webhooks can arrive twice. */
export async function handleWebhook(body: string | undefined, headers: WebhookHeaders): Promise<204 | 400> {
  try {
    const event = await verifyWebhook(body ?? '', headers, (env['WEBHOOK_SECRET'] ?? '').split(' '));
    if (event.type === 'payment.succeeded')
      for (const { ClientAccount } of event.data.Charges) {
        const bill = ClientAccount && bills.get(ClientAccount.AccountNumber);
        if (bill?.sessions.includes(event.data.PaymentSessionIdentifier)) bill.paid = true;
      }
    return 204;
  } catch (error) {
    if (isServiceError(error) && error.kind === 'signature') return 400;
    throw error; // respond with 500, so that the service sends it again
  }
}
