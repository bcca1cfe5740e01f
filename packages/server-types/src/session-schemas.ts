/** What a merchant may ask, as Zod schemas; each proven equal to its interface by {@link exactly}. */
import { z } from 'zod';
import { MAX_CHARGES } from './flows.js';
import { fieldOf } from './read.js';
import { checkPaymentRules } from './rules.js';
import type {
  AccountSessionRequest,
  Address,
  Charge,
  ClientAccount,
  ClientUser,
  CustomerSessionRequest,
  Flow,
  ManagedAccount,
  PaymentSessionRequest,
  SessionQuery,
  SessionRequests,
} from './session.js';
import { PAYMENT_METHODS } from './session.js';
import {
  addressLine,
  cents,
  component,
  customField,
  customMeta,
  day,
  email,
  exactly,
  exactlyMerged,
  identifier,
  listOf,
  oneOrMore,
  optionalIdentifier,
  paymentFields,
  positiveCents,
  reference,
  requiredText,
  slug,
  text,
  webUrl,
} from './values.js';

/** Zod schema of `Address`. */
export const addressSchema: z.ZodType<Address> = component(
  exactly<Address>()(
    z.object({
      StreetAddress: addressLine.optional(),
      StreetAddress2: addressLine.optional(),
      City: addressLine.optional(),
      State: text.optional(),
      ZipCode: text.optional(),
    }),
  ),
  'Address',
);

const accountFields = {
  AccountNumber: identifier,
  SubAccountNumber: optionalIdentifier.optional(),
  Balance: cents.optional(),
  PhoneNumber: text.optional(),
  DueDate: day.optional(),
  IssueDate: day.optional(),
  Note: text.optional(),
  Address: addressSchema.optional(),
};

/** Zod schema of `ClientAccount`. */
export const clientAccountSchema: z.ZodType<ClientAccount> = component(
  exactly<ClientAccount>()(z.object({ ...accountFields, Name: requiredText }).catchall(customField)),
  'ClientAccount',
  { description: 'Keys outside this table are custom fields: never synced, never shown.' },
);

/** Zod schema of `ManagedAccount`. */
export const managedAccountSchema: z.ZodType<ManagedAccount> = component(
  exactly<ManagedAccount>()(
    z.object({ ...accountFields, Name: requiredText.optional() }).catchall(customField),
  ),
  'ManagedAccount',
  { description: 'The account of a management session; without Name it is shown by its number.' },
);

/** Zod schema of `ClientUser`. */
export const clientUserSchema: z.ZodType<ClientUser> = component(
  exactly<ClientUser>()(
    z.object({
      EmailAddress: email,
      FirstName: text.optional(),
      LastName: text.optional(),
    }),
  ),
  'ClientUser',
  { description: 'The customer, kept by EmailAddress; the names of the first request stand.' },
);

/** Zod schema of `Charge`. */
export const chargeSchema: z.ZodType<Charge> = component(
  exactly<Charge>()(
    z.object({
      Amount: positiveCents,
      Description: text.optional(),
      ChargeType: text.optional(),
      CustomMeta: customMeta.optional(),
      ClientAccount: clientAccountSchema.optional(),
    }),
  ),
  'Charge',
);

const paymentRequest = exactlyMerged<PaymentSessionRequest>()(
  z.object({
    BusinessUnitSlug: slug,
    Channel: z.enum(['QuickPay', 'POS']),
    PosUser: email.optional(),
    ClientUser: clientUserSchema.optional(),
    Charges: listOf(chargeSchema, 1, MAX_CHARGES),
    PaymentDescriptor: text.optional(),
    ClientReference: reference.optional(),
    SuccessUrl: webUrl.optional(),
    ReturnUrl: webUrl.optional(),
    PaymentMethods: oneOrMore(z.enum(PAYMENT_METHODS)).optional(),
    PaymentFields: paymentFields.optional(),
    CustomMeta: customMeta.optional(),
  }),
);

/** Zod schema of `PaymentSessionRequest`. */
export const paymentSessionRequestSchema: z.ZodType<PaymentSessionRequest> = component(
  paymentRequest.superRefine(
    (request, context) => {
      const told = new Set(context.issues.map((issue) => fieldOf(issue.path ?? [])));
      for (const problem of checkPaymentRules(request)) {
        // What may not be there at all is told so, whatever else is wrong with it.
        const heard = problem.field !== undefined && told.has(problem.field);
        if (heard && problem.code !== 'not_allowed') continue;
        context.addIssue({ code: 'custom', params: { problem }, message: problem.message });
      }
    },
    // Although single fields are wrong, so that a bad request hears of everything at once.
    { when: () => true },
  ),
  'PaymentSessionRequest',
  {
    dependentRequired: { SuccessUrl: ['ReturnUrl'], ReturnUrl: ['SuccessUrl'] },
    oneOf: [
      {
        title: 'QuickPay',
        properties: { Channel: { const: 'QuickPay' }, PosUser: false },
        required: ['Channel'],
      },
      {
        title: 'POS',
        // A generated client knows this branch by what it declares.
        properties: { Channel: { const: 'POS' }, PosUser: { type: 'string' }, ClientUser: false },
        required: ['Channel', 'PosUser'],
      },
    ],
  },
);

/** Zod schema of `AccountSessionRequest`. */
export const accountSessionRequestSchema: z.ZodType<AccountSessionRequest> = component(
  exactly<AccountSessionRequest>()(
    z.object({
      BusinessUnitSlug: slug,
      SyncAccount: z.boolean().optional(),
      ClientAccount: managedAccountSchema,
      ClientUser: clientUserSchema,
    }),
  ),
  'AccountSessionRequest',
  { description: 'SyncAccount must be true when the account is new to the service.' },
);

/** Zod schema of `CustomerSessionRequest`. */
export const customerSessionRequestSchema: z.ZodType<CustomerSessionRequest> = component(
  exactly<CustomerSessionRequest>()(z.object({ BusinessUnitSlug: slug, ClientUser: clientUserSchema })),
  'CustomerSessionRequest',
);

/** The schema of each flow's request. */
export const requestSchemas: { readonly [F in Flow]: z.ZodType<SessionRequests[F]> } = {
  payment: paymentSessionRequestSchema,
  autopay: accountSessionRequestSchema,
  wallet: customerSessionRequestSchema,
  paperless: accountSessionRequestSchema,
  'schedule-payment': accountSessionRequestSchema,
  'scheduled-payments': accountSessionRequestSchema,
  notifications: customerSessionRequestSchema,
};

/** Zod schema of `SessionQuery`. */
export const sessionQuerySchema: z.ZodType<SessionQuery> = component(
  exactly<SessionQuery>()(z.object({ BusinessUnitSlug: slug, PaymentSessionIdentifier: requiredText })),
  'SessionQuery',
);
