import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type {
  AccountSessionRequest,
  Address,
  AutopayChargeRequest,
  CancelPaymentRequest,
  Charge,
  ClientAccount,
  CustomerSessionRequest,
  Envelope,
  EventRequest,
  ListRequest,
  ManageCustomerPayload,
  ManagementSession,
  PaymentSession,
  PaymentSessionRequest,
  PosSessionRequest,
  QuickPaySessionRequest,
  RefundRequest,
  SessionCharge,
  SessionDetails,
  WebhookEvent,
  WebhookPaymentMethod,
  WebhookSubjects,
} from './index.js';
import { checkPaymentRules, FLOWS, MAX_CHARGES } from './index.js';
import { objectOf, schemaOf } from './values.js';

const base = { BusinessUnitSlug: 'x', Charges: [{ Amount: 1 }] } as const;
const ClientUser = { EmailAddress: 'ada@example.com' };
const PosUser = 'agent@example.com';
const [SuccessUrl, ReturnUrl] = ['https://a.example', 'https://b.example'];

// ── what compiles ───────────────────────────────────────────────────────────────────────────────────────────────────
export const valid: PaymentSessionRequest[] = [
  { ...base, Channel: 'QuickPay' },
  { ...base, Channel: 'QuickPay', ClientUser },
  { ...base, Channel: 'POS', PosUser },
  { ...base, Channel: 'QuickPay', SuccessUrl, ReturnUrl },
  { ...base, Channel: 'POS', PosUser, SuccessUrl, ReturnUrl, PaymentMethods: ['ACH'] },
  {
    ...base,
    Channel: 'QuickPay',
    Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n' } }, { Amount: 2 }],
    CustomMeta: { any: { thing: [1] } },
    PaymentFields: { InvoiceNumber: 'A-1', Copies: 2, Paper: true },
  },
];
const bills = [{ cents: 100, number: '1' }];
const toMethod = (text: string) => (text === 'bank' ? 'ACH' : 'Credit Card');
declare const charges: Charge[];
declare const readonlyCharges: readonly Charge[];
export const computed: PaymentSessionRequest[] = [
  { ...base, Channel: 'QuickPay', Charges: bills.map(({ cents }) => ({ Amount: cents })) },
  {
    ...base,
    Channel: 'POS',
    PosUser,
    Charges: bills.map(({ cents, number }) => ({
      Amount: cents,
      Description: number,
      ClientAccount: { AccountNumber: number, Name: 'n', MeterId: 7 },
    })),
    PaymentMethods: ['card', 'bank'].map(toMethod),
  },
  { ...base, Channel: 'QuickPay', Charges: charges },
  { ...base, Channel: 'QuickPay', Charges: readonlyCharges },
  { ...base, Channel: 'QuickPay', Charges: charges.filter(({ Amount }) => Amount > 0) },
  { ...base, Channel: 'QuickPay', Charges: [...charges, { Amount: 1 }] },
  { ...base, Channel: 'QuickPay', Charges: [...charges] },
];
export const withName: AccountSessionRequest = {
  BusinessUnitSlug: 'x',
  SyncAccount: true,
  ClientAccount: { AccountNumber: '1', Name: 'n' },
  ClientUser,
};
export const withoutName: AccountSessionRequest = {
  BusinessUnitSlug: 'x',
  ClientAccount: { AccountNumber: '1' },
  ClientUser,
};

// R-32 optional fields: `undefined` and `null` mean the same as omitting them.
declare const maybe: string | null | undefined;
declare const cents: number | null | undefined;
const Address = { StreetAddress: maybe, StreetAddress2: maybe, City: maybe, State: maybe, ZipCode: maybe };
const bill = { Balance: cents, PhoneNumber: maybe, DueDate: maybe, IssueDate: maybe, Note: maybe };
const mayLack = { ...bill, AccountNumber: '1', SubAccountNumber: maybe, Address };
const customer = { EmailAddress: 'ada@example.com', FirstName: maybe, LastName: maybe };
export const unset: PaymentSessionRequest[] = [
  {
    ...base,
    Channel: 'QuickPay',
    Charges: [
      { Amount: 1, Description: maybe, ChargeType: maybe, ClientAccount: { ...mayLack, Name: 'n' } },
      { Amount: 1, CustomMeta: null, ClientAccount: null },
    ],
    ClientUser: customer,
    PaymentDescriptor: maybe,
    ClientReference: maybe,
    PaymentMethods: undefined,
    PaymentFields: { InvoiceNumber: maybe },
    CustomMeta: { anything: maybe },
    PosUser: null,
    SuccessUrl: null,
    ReturnUrl: undefined,
  },
  {
    ...base,
    Channel: 'POS',
    PosUser,
    ClientUser: null,
    PaymentFields: null,
    CustomMeta: undefined,
  },
];
export const unsetToo: [
  AccountSessionRequest,
  CustomerSessionRequest,
  ManageCustomerPayload,
  RefundRequest,
  ListRequest,
  AutopayChargeRequest,
] = [
  { BusinessUnitSlug: 'x', SyncAccount: null, ClientAccount: { ...mayLack, Name: maybe }, ClientUser },
  { BusinessUnitSlug: 'x', ClientUser: customer },
  {
    accountNumber: '1',
    subAccountNumber: '',
    firstName: 'Ada',
    lastName: 'Byron',
    emailAddress: 'ada@example.com',
    originalEmailAddress: maybe,
  },
  { BusinessUnitSlug: 'x', PaymentIdentifier: 'p', Amount: cents, Reason: maybe },
  {
    BusinessUnitSlug: 'x',
    From: maybe,
    To: maybe,
    Status: null,
    ClientReference: maybe,
    Cursor: maybe,
    Limit: cents,
  },
  {
    BusinessUnitSlug: 'x',
    AccountNumber: '1',
    SubAccountNumber: maybe,
    Amount: 1,
    ClientReference: 'r',
    Description: maybe,
    ChargeOn: maybe,
  },
];

// D-2 custom account fields are deliberate
export const metered: ClientAccount<{ MeterNumber: string }> = {
  AccountNumber: '1',
  Name: 'n',
  Balance: null,
  MeterNumber: 'M-7',
};
export const meteredRequest: PaymentSessionRequest<{ MeterNumber: string }> = {
  ...base,
  Channel: 'QuickPay',
  Charges: [{ Amount: 1, ClientAccount: metered }],
};
export const meteredAutopay: AccountSessionRequest<{ MeterNumber?: string }> = {
  BusinessUnitSlug: 'x',
  ClientAccount: { AccountNumber: '1', MeterNumber: 'M-7' },
  ClientUser,
};
export const asPlainRequests: [PaymentSessionRequest, AccountSessionRequest] = [
  meteredRequest,
  meteredAutopay,
];

// ── what does not ───────────────────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error R-23 ClientUser on POS
export const e1: PaymentSessionRequest = { ...base, Channel: 'POS', PosUser, ClientUser };
// @ts-expect-error R-24 PosUser on QuickPay
export const e2: PaymentSessionRequest = { ...base, Channel: 'QuickPay', PosUser };
// @ts-expect-error R-25 POS without PosUser
export const e3: PaymentSessionRequest = { ...base, Channel: 'POS' };
// @ts-expect-error R-22 SuccessUrl alone
export const e4: PaymentSessionRequest = { ...base, Channel: 'QuickPay', SuccessUrl };
// @ts-expect-error R-22 ReturnUrl alone
export const e5: PaymentSessionRequest = { ...base, Channel: 'QuickPay', ReturnUrl };
// @ts-expect-error R-22 both URLs, or neither
export const e5a: PaymentSessionRequest = { ...base, Channel: 'QuickPay', SuccessUrl, ReturnUrl: maybe };
// @ts-expect-error R-20 a required field is never null or undefined
export const e5b: CustomerSessionRequest = { BusinessUnitSlug: 'x', ClientUser: { EmailAddress: maybe } };
// @ts-expect-error a field of a response is present or absent, never null
export const e5c: SessionCharge = { Amount: 1, Description: null };
// @ts-expect-error R-21 no charges
export const e6: PaymentSessionRequest = { ...base, Channel: 'QuickPay', Charges: [] };
// @ts-expect-error R-21 no charges, computed
export const e6a: PaymentSessionRequest = { ...base, Channel: 'QuickPay', Charges: [] as const };
// @ts-expect-error R-27 a computed charge needs an Amount
export const e6b: PaymentSessionRequest = { ...base, Channel: 'QuickPay', Charges: bills };
export const e6c: PaymentSessionRequest = {
  ...base,
  Channel: 'QuickPay',
  // @ts-expect-error a misspelled key of a charge
  Charges: [{ Amount: 1, Descripton: 'x' }],
};
// @ts-expect-error R-20 no Channel
export const e7: PaymentSessionRequest = { ...base };
// @ts-expect-error R-20 another Channel
export const e8: PaymentSessionRequest = { ...base, Channel: 'Web' };
// @ts-expect-error R-27 Amount is a number
export const e9: PaymentSessionRequest = { ...base, Channel: 'QuickPay', Charges: [{ Amount: '1' }] };
// @ts-expect-error R-20 Name is required on a payment session
export const e10: ClientAccount = { AccountNumber: '1' };
// @ts-expect-error R-28 another method
export const e11: PaymentSessionRequest = { ...base, Channel: 'QuickPay', PaymentMethods: ['Cash'] };
// @ts-expect-error R-28 no method
export const e12: PaymentSessionRequest = { ...base, Channel: 'QuickPay', PaymentMethods: [] };
// @ts-expect-error a misspelled key of a charge
export const e13: Charge = { Amount: 1, Descripton: 'x' };
// @ts-expect-error R-20 EmailAddress is required
export const e14: CustomerSessionRequest = { BusinessUnitSlug: 'x', ClientUser: { FirstName: 'Ada' } };
export const e15: CustomerSessionRequest = {
  BusinessUnitSlug: 'x',
  ClientUser,
  // @ts-expect-error D-5 a wallet session has no account
  ClientAccount: { AccountNumber: '1' },
};
export const e16: EventRequest = {
  eventType: 'Accounts.UnenrollAutopay',
  // @ts-expect-error E-1 payload is a string
  payload: { accountNumber: '1' },
  businessUnitSlug: 'x',
};
// @ts-expect-error E-5 another event
export const e17: EventRequest = { eventType: 'Accounts.Delete', payload: '{}', businessUnitSlug: 'x' };

// @ts-expect-error a misspelled key of an account
export const e18: ClientAccount = { AccountNumber: '1', Name: 'n', Balnce: 5 };
// @ts-expect-error a misspelled key of a management session's account
export const e19: AccountSessionRequest['ClientAccount'] = { AccountNumber: '1', Nmae: 'n' };
// @ts-expect-error a misspelled key of an address
export const e20: Address = { Street: '1 Main St' };
export const e21: PaymentSessionRequest = {
  ...base,
  Channel: 'QuickPay',
  // @ts-expect-error D-2 a custom field that the type does not declare
  Charges: [{ Amount: 1, ClientAccount: { AccountNumber: '1', Name: 'n', MeterNumber: 'M-7' } }],
};
// @ts-expect-error D-2 a misspelled custom field
export const e22: ClientAccount<{ MeterNumber: string }> = { AccountNumber: '1', Name: 'n', MeterNo: 'M-7' };
// @ts-expect-error D-2 a custom field of the wrong type
export const e23: ClientAccount<{ MeterNumber: string }> = { AccountNumber: '1', Name: 'n', MeterNumber: 7 };
// @ts-expect-error a scheduled charge is canceled by its payment's id
export const e24: CancelPaymentRequest = { BusinessUnitSlug: 'x', PaymentSessionIdentifier: 's' };

// ── what narrows ────────────────────────────────────────────────────────────────────────────────────────────────────
declare const request: PaymentSessionRequest;
if (request.Channel === 'POS') {
  expectTypeOf(request).toEqualTypeOf<PosSessionRequest>();
  expectTypeOf(request.PosUser).toEqualTypeOf<string>();
} else expectTypeOf(request).toEqualTypeOf<QuickPaySessionRequest>();
declare const envelope: Envelope<PaymentSession>;
if (envelope.hasErrors) expectTypeOf(envelope.data).toEqualTypeOf<null>();
else expectTypeOf(envelope.data.PaymentLogInLink).toEqualTypeOf<string>();
// R-42 accepts an operator's own values
expectTypeOf<'SomethingElse'>().toExtend<PaymentSession['Status']>();
expectTypeOf<'SomethingElse'>().toExtend<ManagementSession['Status']>();
expectTypeOf<WebhookEvent['data']>().toExtend<SessionDetails>();
// R-54 a field is optional only if the table says that it may be absent
expectTypeOf<WebhookSubjects['autopay.enrolled']['PaymentMethod']>().toEqualTypeOf<WebhookPaymentMethod>();
expectTypeOf<WebhookSubjects['autopay.unenrolled']['PaymentMethod']>().toEqualTypeOf<
  WebhookPaymentMethod | undefined
>();
expectTypeOf<keyof WebhookSubjects['session.expired']>().toEqualTypeOf<never>();
expectTypeOf(FLOWS.payment.sdkMethod).toEqualTypeOf<'completePayment' | 'startFlow'>();
expectTypeOf(MAX_CHARGES).toBeNumber();
expectTypeOf(checkPaymentRules).parameter(0).toBeUnknown();

// ── `schemaOf` and `objectOf` refuse a schema that differs from its interface ────────────────────────────────────────────────────────
interface Pair {
  a: string;
  b?: number;
}
export const pair1: z.ZodType<Pair> = objectOf('Pair')({ a: z.string(), b: z.number().exactOptional() });
// @ts-expect-error a key less
export const pair2: z.ZodType<Pair> = objectOf('Pair')({ a: z.string() });
// @ts-expect-error a key more
export const pair3: z.ZodType<Pair> = objectOf('Pair')({
  a: z.string(),
  b: z.number().exactOptional(),
  c: z.string().exactOptional(),
});
// @ts-expect-error another type
export const pair4: z.ZodType<Pair> = objectOf('Pair')({ a: z.string(), b: z.string().exactOptional() });
// @ts-expect-error not optional
export const pair5: z.ZodType<Pair> = objectOf('Pair')({ a: z.string(), b: z.number() });
// @ts-expect-error anything
schemaOf<Pair>()(z.any());
// @ts-expect-error another type
schemaOf<Pair>()(z.object({ a: z.number(), b: z.number().exactOptional() }));
