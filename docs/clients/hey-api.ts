// Every operation through the functions of @hey-api/openapi-ts.
import { createClient } from './generated/hey-api/client/index.js';
import * as sdk from './generated/hey-api/index.js';
import * as requests from './requests.js';

/** Resolves with the status of each operation. */
export async function callAll({
  baseUrl,
  apiKey,
  fetch,
  pay,
  enroll,
}: requests.Options): Promise<Record<string, number>> {
  const client = createClient({ baseUrl, auth: apiKey, fetch: fetch as typeof globalThis.fetch });
  const created = await sdk.createPaymentSession({ client, body: requests.payment });
  const id = created.data?.data.PaymentSessionIdentifier ?? '';
  const pos = await sdk.createPaymentSession({ client, body: requests.posPayment });
  await pay(pos.data?.data.PaymentSessionIdentifier ?? '');
  const autopay = await sdk.createAutopaySession({ client, body: requests.account });
  await enroll(autopay.data?.data.PaymentLogInLink ?? '');
  const listed = await sdk.listPayments({ client, body: requests.list });
  const paid = listed.data?.data.Payments[0]?.Id ?? '';
  const scheduled = await sdk.chargeAutopay({ client, body: requests.scheduledCharge });
  const scheduledId = scheduled.data?.data.PaymentIdentifier ?? '';
  const calls = {
    createPaymentSession: created,
    createPosSession: pos,
    createAutopaySession: autopay,
    createWalletSession: await sdk.createWalletSession({ client, body: requests.customer }),
    createPaperlessSession: await sdk.createPaperlessSession({ client, body: requests.account }),
    createSchedulePaymentSession: await sdk.createSchedulePaymentSession({ client, body: requests.account }),
    createScheduledPaymentsSession: await sdk.createScheduledPaymentsSession({
      client,
      body: requests.account,
    }),
    createNotificationsSession: await sdk.createNotificationsSession({ client, body: requests.customer }),
    retrieveSession: await sdk.retrieveSession({ client, body: requests.query(id) }),
    listPayments: listed,
    refundPayment: await sdk.refundPayment({ client, body: requests.refund(paid) }),
    chargeAutopay: await sdk.chargeAutopay({ client, body: requests.charge }),
    cancelPayment: await sdk.cancelPayment({ client, body: requests.cancelPayment(scheduledId) }),
    // Unenrols the account that was charged.
    pushEvent: await sdk.pushEvent({ client, body: requests.event }),
    cancelSession: await sdk.cancelSession({ client, body: requests.cancel(id) }),
  };
  return Object.fromEntries(
    Object.entries(calls).map(([name, { response }]) => [name, response?.status ?? 0]),
  );
}
