/** Zod schemas of session requests. {@link objectOf} proves that each one equals its interface. */
import { z } from 'zod';
import { MAX_CHARGES } from './flows.js';
import { fieldOf } from './read.js';
import { checkPaymentRules } from './rules.js';
import {
  PAYMENT_METHODS,
  type AccountSessionRequest,
  type Address,
  type Charge,
  type ClientAccount,
  type ClientUser,
  type CustomerSessionRequest,
  type Flow,
  type ManagedAccount,
  type Normalized,
  type NormalizedSessionRequests,
  type PaymentSessionRequest,
  type SessionQuery,
} from './session.js';
import {
  addressLine,
  cents,
  component,
  customMeta,
  day,
  email,
  line,
  listOf,
  mergedSchemaOf,
  objectOf,
  oneOrMore,
  optional,
  paymentFields,
  positiveCents,
  reference,
  requiredIdentifier,
  requiredLine,
  requiredText,
  schemaOf,
  shortText,
  slug,
  subAccountNumber,
  text,
  webUrl,
  withCustomFields,
} from './values.js';

/** Zod schema of `Address`. */
export const addressSchema: z.ZodType<Normalized<Address>> = objectOf('Address')({
  StreetAddress: optional(addressLine),
  StreetAddress2: optional(addressLine),
  City: optional(addressLine),
  State: optional(shortText),
  ZipCode: optional(shortText),
});

const accountFields = {
  AccountNumber: requiredIdentifier,
  SubAccountNumber: optional(subAccountNumber),
  Balance: optional(cents),
  PhoneNumber: optional(shortText),
  DueDate: optional(day),
  IssueDate: optional(day),
  Note: optional(text),
  Address: optional(addressSchema),
};

type AnyFields = Record<string, unknown>;

/** Zod schema of `ClientAccount`, with any custom fields. */
export const clientAccountSchema: z.ZodType<Normalized<ClientAccount<AnyFields>>> = component(
  schemaOf<Normalized<ClientAccount<AnyFields>>>()(
    withCustomFields({ ...accountFields, Name: requiredLine }),
  ),
  'ClientAccount',
  { description: 'Any other key is a custom field: never synced, never shown.' },
);

/** Zod schema of `ManagedAccount`, with any custom fields. */
export const managedAccountSchema: z.ZodType<Normalized<ManagedAccount<AnyFields>>> = component(
  schemaOf<Normalized<ManagedAccount<AnyFields>>>()(
    withCustomFields({ ...accountFields, Name: optional(requiredLine) }),
  ),
  'ManagedAccount',
  { description: 'The account of a management session. Without Name, the pages show its number.' },
);

/** Zod schema of `ClientUser`. */
export const clientUserSchema: z.ZodType<Normalized<ClientUser>> = objectOf(
  'ClientUser',
  'The customer, identified by EmailAddress. Names are saved once.',
)({
  EmailAddress: email,
  FirstName: optional(line),
  LastName: optional(line),
});

/** Zod schema of `Charge`. */
export const chargeSchema: z.ZodType<Normalized<Charge<AnyFields>>> = objectOf('Charge')({
  Amount: positiveCents,
  Description: optional(text),
  ChargeType: optional(shortText),
  CustomMeta: optional(customMeta),
  ClientAccount: optional(clientAccountSchema),
});

const paymentRequest = mergedSchemaOf<Normalized<PaymentSessionRequest<AnyFields>>>()(
  z.object({
    BusinessUnitSlug: slug,
    Channel: z.enum(['QuickPay', 'POS']),
    PosUser: optional(email),
    ClientUser: optional(clientUserSchema),
    Charges: listOf(chargeSchema, 1, MAX_CHARGES),
    PaymentDescriptor: optional(line),
    ClientReference: optional(reference),
    SuccessUrl: optional(webUrl),
    ReturnUrl: optional(webUrl),
    PaymentMethods: optional(oneOrMore(z.enum(PAYMENT_METHODS))),
    PaymentFields: optional(paymentFields),
    CustomMeta: optional(customMeta),
  }),
);

/** JSON Schema: if the request has one URL, it needs the other. */
const ifGiven = (present: string, required: string): Record<string, unknown> => ({
  if: { properties: { [present]: { type: 'string' } }, required: [present] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { [required]: { type: 'string' } }, required: [required] },
});

/** Zod schema of `PaymentSessionRequest`. */
export const paymentSessionRequestSchema: z.ZodType<Normalized<PaymentSessionRequest<AnyFields>>> = component(
  paymentRequest.superRefine(
    (request, context) => {
      const reported = new Set(context.issues.map((issue) => fieldOf(issue.path ?? [])));

      for (const problem of checkPaymentRules(request)) {
        // Report a field that is not allowed as such, even if its value is invalid too.
        const isReported = problem.field !== undefined && reported.has(problem.field);
        if (isReported && problem.code !== 'not_allowed') continue;

        context.addIssue({ code: 'custom', params: { problem }, message: problem.message });
      }
    },
    // Run even if single fields are invalid, so that one response lists every problem.
    { when: () => true },
  ),
  'PaymentSessionRequest',
  {
    allOf: [ifGiven('SuccessUrl', 'ReturnUrl'), ifGiven('ReturnUrl', 'SuccessUrl')],
    oneOf: [
      {
        title: 'QuickPay',
        properties: { Channel: { const: 'QuickPay' }, PosUser: { type: 'null' } },
        required: ['Channel'],
      },
      {
        title: 'POS',
        properties: { Channel: { const: 'POS' }, PosUser: { type: 'string' }, ClientUser: { type: 'null' } },
        required: ['Channel', 'PosUser'],
      },
    ],
  },
);

/** Zod schema of `AccountSessionRequest`. */
export const accountSessionRequestSchema: z.ZodType<Normalized<AccountSessionRequest<AnyFields>>> = objectOf(
  'AccountSessionRequest',
  'SyncAccount must be true if the account is new to the service.',
)({
  BusinessUnitSlug: slug,
  SyncAccount: optional(z.boolean()),
  ClientAccount: managedAccountSchema,
  ClientUser: clientUserSchema,
});

/** Zod schema of `CustomerSessionRequest`. */
export const customerSessionRequestSchema: z.ZodType<Normalized<CustomerSessionRequest>> = objectOf(
  'CustomerSessionRequest',
)({ BusinessUnitSlug: slug, ClientUser: clientUserSchema });

/** The schema of each flow's request. */
export const requestSchemas: { readonly [F in Flow]: z.ZodType<NormalizedSessionRequests[F]> } = {
  payment: paymentSessionRequestSchema,
  autopay: accountSessionRequestSchema,
  wallet: customerSessionRequestSchema,
  paperless: accountSessionRequestSchema,
  'schedule-payment': accountSessionRequestSchema,
  'scheduled-payments': accountSessionRequestSchema,
  notifications: customerSessionRequestSchema,
};

/** Zod schema of `SessionQuery`. */
export const sessionQuerySchema: z.ZodType<SessionQuery> = objectOf('SessionQuery')({
  BusinessUnitSlug: slug,
  PaymentSessionIdentifier: requiredText,
});
