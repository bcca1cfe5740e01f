// Every operation through the types of openapi-typescript.
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.js';
import * as requests from './requests.js';

/** Resolves with the status of each operation. */
export async function callAll({
  baseUrl,
  apiKey,
  fetch,
  pay,
  enroll,
}: requests.Options): Promise<Record<string, number>> {
  const { POST } = createClient<paths>({ baseUrl, fetch, headers: { 'X-Service-Api-Key': apiKey } });
  const created = await POST('/integrations/embedded/initiate', { body: requests.payment });
  const id = created.data?.data.PaymentSessionIdentifier ?? '';
  const pos = await POST('/integrations/embedded/initiate', { body: requests.posPayment });
  await pay(pos.data?.data.PaymentSessionIdentifier ?? '');
  const autopay = await POST('/integrations/embedded/initiate-manage-autopay', { body: requests.account });
  await enroll(autopay.data?.data.PaymentLogInLink ?? '');
  const listed = await POST('/integrations/payments/list', { body: requests.list });
  const paid = listed.data?.data.Payments[0]?.Id ?? '';
  const scheduled = await POST('/integrations/autopay/charge', { body: requests.scheduledCharge });
  const scheduledId = scheduled.data?.data.PaymentIdentifier ?? '';
  const calls = {
    createPaymentSession: created,
    createPosSession: pos,
    createAutopaySession: autopay,
    createWalletSession: await POST('/integrations/embedded/initiate-manage-wallet', {
      body: requests.customer,
    }),
    createPaperlessSession: await POST('/integrations/embedded/initiate-manage-paperless', {
      body: requests.account,
    }),
    createSchedulePaymentSession: await POST('/integrations/embedded/initiate-schedule-payment-session', {
      body: requests.account,
    }),
    createScheduledPaymentsSession: await POST('/integrations/embedded/initiate-manage-schedule-payments', {
      body: requests.account,
    }),
    createNotificationsSession: await POST('/integrations/embedded/initiate-manage-notifications', {
      body: requests.customer,
    }),
    retrieveSession: await POST('/integrations/embedded/query', { body: requests.query(id) }),
    listPayments: listed,
    refundPayment: await POST('/integrations/payments/refund', { body: requests.refund(paid) }),
    chargeAutopay: await POST('/integrations/autopay/charge', { body: requests.charge }),
    cancelPayment: await POST('/integrations/payments/cancel', { body: requests.cancelPayment(scheduledId) }),
    // Unenrols the account that was charged.
    pushEvent: await POST('/integrations/events', { body: requests.event }),
    cancelSession: await POST('/integrations/embedded/cancel', { body: requests.cancel(id) }),
  };
  return Object.fromEntries(Object.entries(calls).map(([name, { response }]) => [name, response.status]));
}
