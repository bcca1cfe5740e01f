/** A whole payment: create, page read, pay, webhook and query. */
import { randomUUID } from 'node:crypto';
import { BUSINESS_UNIT } from '../e2e/harness/index.js';
import { send, type Receiver } from './floor.js';
import type { Target } from './targets.js';

const CARD = {
  method: 'Credit Card',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '737',
  name: 'Dana Reyes',
  country: 'US',
  zipCode: '04101',
};

/** @returns a function that makes one payment from start to finish */
export function payingOnce(receiver: Receiver): (target: Target) => Promise<void> {
  let turn = 0;
  return async ({ url, apiKey }) => {
    turn += 1;
    const account = turn % 500;
    const merchant = { 'x-service-api-key': apiKey };
    const created = (await send(`${url}/integrations/embedded/initiate`, merchant, {
      BusinessUnitSlug: BUSINESS_UNIT,
      Channel: 'QuickPay',
      Charges: [{ Amount: 8412, ClientAccount: { AccountNumber: `100-${account}`, Name: 'Dana Reyes' } }],
      ClientUser: { EmailAddress: `payer-${account}@example.com` },
    })) as { PaymentSessionIdentifier: string; PaymentLogInLink: string };

    const id = created.PaymentSessionIdentifier;
    const payer = { authorization: `Bearer ${new URL(created.PaymentLogInLink).hash.slice(1)}` };
    await send(`${url}/s/${id}/api/session`, payer);
    await send(`${url}/s/${id}/api/pay`, payer, {
      attemptId: randomUUID(),
      source: CARD,
      saveMethod: false,
      charges: [{ index: 0, amount: 8412 }],
      fields: {},
    });
    await send(`${url}/integrations/embedded/query`, merchant, {
      BusinessUnitSlug: BUSINESS_UNIT,
      PaymentSessionIdentifier: id,
    });
    await receiver.expect();
  };
}
