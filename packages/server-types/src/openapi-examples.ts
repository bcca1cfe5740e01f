/** An example request and response for each operation of the OpenAPI document, and a webhook. A test validates them. */
import type { BackOfficeCall } from './back-office.js';
import type { Flow } from './session.js';

/** The body of a request, and the data of its response. */
export interface Example {
  request: unknown;
  response: unknown;
}

const BusinessUnitSlug = 'harborlight-water';
const ClientReference = 'bill-2026-11-1001';
const PaymentSessionIdentifier = 'stg_5fX2kQ';
const CreatedAt = '2026-11-22T10:00:00.000Z';
const ExpiresAt = '2026-11-22T10:30:00.000Z';
const ClientUser = { EmailAddress: 'ada@example.com', FirstName: 'Ada', LastName: 'Byron' };
const session = {
  PaymentSessionIdentifier,
  PaymentLogInLink: `https://pay.example.com/s/${PaymentSessionIdentifier}#secret`,
};
const managed = { ...session, Status: 'Open' };

const account: Example = {
  request: {
    BusinessUnitSlug,
    SyncAccount: true,
    ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron', Balance: 7_630 },
    ClientUser,
  },
  response: managed,
};
const customer: Example = {
  request: { BusinessUnitSlug, ClientUser },
  response: managed,
};
const created = { ...session, Status: 'RequiresPaymentSource' };

const payment = {
  Id: 'pay_8Zp1',
  Amount: 7_630,
  Refunded: 0,
  Method: 'Credit Card',
  Status: 'succeeded',
  Last4: '4242',
  CreatedAt: '2026-11-22T10:01:07.000Z',
};
const listed = { ...payment, PaymentSessionIdentifier, ClientReference };
const details = {
  PaymentSessionIdentifier,
  Flow: 'payment',
  Status: 'Succeeded',
  ClientReference,
  Charges: [{ Amount: 7_630, PaidAmount: 7_630, ClientAccount: { AccountNumber: '1001' } }],
  Payments: [payment],
  CreatedAt,
  ExpiresAt,
};

export const examples: Readonly<Record<Flow | BackOfficeCall | 'query' | 'event', Example>> = {
  payment: {
    request: {
      BusinessUnitSlug,
      Channel: 'QuickPay',
      Charges: [
        {
          Amount: 7_630,
          Description: 'Water, November',
          ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron', Balance: 7_630, DueDate: '2026-12-09' },
        },
      ],
      ClientUser,
      ClientReference,
    },
    response: created,
  },
  autopay: account,
  wallet: customer,
  paperless: account,
  'schedule-payment': account,
  'scheduled-payments': account,
  notifications: customer,
  query: { request: { BusinessUnitSlug, PaymentSessionIdentifier }, response: details },
  refund: {
    request: {
      BusinessUnitSlug,
      PaymentIdentifier: payment.Id,
      Amount: 2_500,
      Reason: 'Billed twice',
    },
    response: {
      RefundIdentifier: 'ref_4Tq9',
      PaymentIdentifier: payment.Id,
      Amount: 2_500,
      Status: 'succeeded',
      Refundable: 5_130,
    },
  },
  list: {
    request: { BusinessUnitSlug, From: '2026-11-01', To: '2026-12-01', Status: 'succeeded', Limit: 100 },
    response: { Payments: [listed], NextCursor: 'MjAyNi0xMS0yMg' },
  },
  cancel: { request: { BusinessUnitSlug, PaymentSessionIdentifier }, response: { Status: 'Canceled' } },
  charge: {
    request: {
      BusinessUnitSlug,
      AccountNumber: '1001',
      Amount: 7_630,
      ClientReference,
      Description: 'Water, November',
    },
    response: { PaymentIdentifier: payment.Id, Status: 'succeeded' },
  },
  cancelPayment: {
    request: { BusinessUnitSlug, PaymentIdentifier: payment.Id },
    response: { Status: 'Canceled' },
  },
  event: {
    request: {
      eventType: 'Accounts.ManageCustomer',
      payload: JSON.stringify({
        accountNumber: '1001',
        subAccountNumber: '',
        firstName: 'Ada',
        lastName: 'Byron',
        emailAddress: 'ada@example.com',
      }),
      businessUnitSlug: BusinessUnitSlug,
    },
    response: {},
  },
};

export const webhookExample: unknown = {
  type: 'payment.succeeded',
  timestamp: '2026-11-22T10:01:09.000Z',
  data: { ...details, Payment: listed },
};
