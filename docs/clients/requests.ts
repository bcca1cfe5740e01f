// One request for each operation; by this project's own types where a generator has no list of another kind.
import type {
  AccountSessionRequest,
  AutopayChargeRequest,
  CancelPaymentRequest,
  CancelRequest,
  CustomerSessionRequest,
  EventRequest,
  ListRequest,
  RefundRequest,
  SessionQuery,
} from '@embedded-sessions/server-types';

const BusinessUnitSlug = 'harborlight-water';
const ClientUser = { EmailAddress: 'ada@example.com', FirstName: 'Ada', LastName: 'Byron' };

export const payment = {
  BusinessUnitSlug,
  Channel: 'QuickPay' as const,
  Charges: [{ Amount: 7630, ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' } }],
  ClientUser,
};
export const posPayment = {
  BusinessUnitSlug,
  Channel: 'POS' as const,
  PosUser: 'agent@harborlight.example',
  Charges: [{ Amount: 7630 }],
};
// `satisfies`: a generated type with an index signature does not accept an interface.
export const account = {
  BusinessUnitSlug,
  SyncAccount: true,
  ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' },
  ClientUser,
} satisfies AccountSessionRequest;
export const customer: CustomerSessionRequest = { BusinessUnitSlug, ClientUser };
export interface Options {
  baseUrl: string;
  apiKey: string;
  fetch: (request: Request) => Promise<Response>;
  /** What a payer does: pays that session, or turns AutoPay on at that address. */
  pay: (sessionId: string) => Promise<unknown>;
  enroll: (link: string) => Promise<unknown>;
}

export const event: EventRequest = {
  eventType: 'Accounts.UnenrollAutopay',
  businessUnitSlug: BusinessUnitSlug,
  payload: JSON.stringify({ accountNumber: '1001', subAccountNumber: '' }),
};
export const query = (PaymentSessionIdentifier: string): SessionQuery => ({
  BusinessUnitSlug,
  PaymentSessionIdentifier,
});
export const cancel = (PaymentSessionIdentifier: string): CancelRequest => ({
  BusinessUnitSlug,
  PaymentSessionIdentifier,
});
export const list: ListRequest = { BusinessUnitSlug };
export const refund = (PaymentIdentifier: string): RefundRequest => ({ BusinessUnitSlug, PaymentIdentifier });
export const charge: AutopayChargeRequest = {
  BusinessUnitSlug,
  AccountNumber: '1001',
  Amount: 7630,
  ClientReference: 'autopay-1',
};
/** Tomorrow, in UTC. */
export const scheduledCharge: AutopayChargeRequest = {
  ...charge,
  ClientReference: 'autopay-2',
  ChargeOn: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
};
export const cancelPayment = (PaymentIdentifier: string): CancelPaymentRequest => ({
  BusinessUnitSlug,
  PaymentIdentifier,
});
