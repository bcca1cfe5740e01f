// Every operation through the types of openapi-typescript.
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.js';
import * as requests from './requests.js';

type Options = { baseUrl: string; apiKey: string; fetch: (request: Request) => Promise<Response> };

/** Resolves with the status of each operation. */
export async function callAll({ baseUrl, apiKey, fetch }: Options): Promise<Record<string, number>> {
  const { POST } = createClient<paths>({ baseUrl, fetch, headers: { 'X-Service-Api-Key': apiKey } });
  const created = await POST('/integrations/embedded/initiate', { body: requests.payment });
  const id = created.data?.data.PaymentSessionIdentifier ?? '';
  const calls = {
    createPaymentSession: created,
    createPosSession: await POST('/integrations/embedded/initiate', { body: requests.posPayment }),
    createAutopaySession: await POST('/integrations/embedded/initiate-manage-autopay', {
      body: requests.account,
    }),
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
    pushEvent: await POST('/integrations/events', { body: requests.event }),
    listPayments: await POST('/integrations/payments/list', { body: requests.list }),
    refundPayment: await POST('/integrations/payments/refund', { body: requests.refund }),
    chargeAutopay: await POST('/integrations/autopay/charge', { body: requests.charge }),
    cancelSession: await POST('/integrations/embedded/cancel', { body: requests.cancel(id) }),
  };
  return Object.fromEntries(Object.entries(calls).map(([name, { response }]) => [name, response.status]));
}
