// Every operation through the functions of @hey-api/openapi-ts.
import { createClient } from './generated/hey-api/client/index.js';
import * as sdk from './generated/hey-api/index.js';
import * as requests from './requests.js';

type Options = { baseUrl: string; apiKey: string; fetch: (request: Request) => Promise<Response> };

/** Resolves with the status of each operation. */
export async function callAll({ baseUrl, apiKey, fetch }: Options): Promise<Record<string, number>> {
  const client = createClient({ baseUrl, auth: apiKey, fetch: fetch as typeof globalThis.fetch });
  const created = await sdk.createPaymentSession({ client, body: requests.payment });
  const id = created.data?.data.PaymentSessionIdentifier ?? '';
  const calls = {
    createPaymentSession: created,
    createPosSession: await sdk.createPaymentSession({ client, body: requests.posPayment }),
    createAutopaySession: await sdk.createAutopaySession({ client, body: requests.account }),
    createWalletSession: await sdk.createWalletSession({ client, body: requests.customer }),
    createPaperlessSession: await sdk.createPaperlessSession({ client, body: requests.account }),
    createSchedulePaymentSession: await sdk.createSchedulePaymentSession({ client, body: requests.account }),
    createScheduledPaymentsSession: await sdk.createScheduledPaymentsSession({
      client,
      body: requests.account,
    }),
    createNotificationsSession: await sdk.createNotificationsSession({ client, body: requests.customer }),
    retrieveSession: await sdk.retrieveSession({ client, body: requests.query(id) }),
    pushEvent: await sdk.pushEvent({ client, body: requests.event }),
    listPayments: await sdk.listPayments({ client, body: requests.list }),
    refundPayment: await sdk.refundPayment({ client, body: requests.refund }),
    chargeAutopay: await sdk.chargeAutopay({ client, body: requests.charge }),
    cancelSession: await sdk.cancelSession({ client, body: requests.cancel(id) }),
  };
  return Object.fromEntries(
    Object.entries(calls).map(([name, { response }]) => [name, response?.status ?? 0]),
  );
}
