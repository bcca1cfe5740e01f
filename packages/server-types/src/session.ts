/** One of the seven flows, spelt so on every wire and prop. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';

/** How a payment session is taken: by the customer (`QuickPay`) or by an agent for a customer (`POS`), R-34. */
export type Channel = 'QuickPay' | 'POS';

/** The ways to pay, in the order to offer them. */
export const PAYMENT_METHODS = ['Credit Card', 'ACH'] as const;

/** A way to pay, as `PaymentMethods` lists it. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Any key/value pairs; recorded and returned unchanged by webhooks, query and SDK events. */
export type CustomMeta = Record<string, unknown>;

/** Values for fields that the operator configured; a key that is not configured is refused. */
export type PaymentFields = Record<string, string | number | boolean>;

/**
 * A list of at least one item. An empty literal does not compile; a list that was computed does, and is looked at when it
 * is used: `Charges: bills.map(toCharge)`.
 */
export type NonEmptyList<T> =
  | readonly [T, ...T[]]
  // Any item can be looked for in a list of items; in `never[]`, which an empty literal is, not even `any` can.
  // oxlint-disable-next-line typescript/no-explicit-any -- the one type that everything takes but `never`
  | (readonly T[] & { readonly includes: (item: any) => boolean });

/** A postal address; every field is optional. */
export interface Address {
  /** At most 100 characters. */
  StreetAddress?: string | undefined;
  /** At most 100 characters. */
  StreetAddress2?: string | undefined;
  /** At most 100 characters. */
  City?: string | undefined;
  /** State abbreviation, such as `OR`. */
  State?: string | undefined;
  ZipCode?: string | undefined;
}

/**
 * The account that a charge belongs to. Synced by `AccountNumber` + `SubAccountNumber` on every payment session (D-3);
 * `Note` and keys outside this table are never synced (D-2).
 */
export interface ClientAccount {
  /** The caller's own identifier of the account. */
  AccountNumber: string;
  SubAccountNumber?: string | undefined;
  /** Name of the account holder. */
  Name: string;
  /** Integer cents; negative is a credit. */
  Balance?: number | undefined;
  PhoneNumber?: string | undefined;
  /** ISO 8601 date, `YYYY-MM-DD`. */
  DueDate?: string | undefined;
  /** ISO 8601 date, `YYYY-MM-DD`. */
  IssueDate?: string | undefined;
  /** Shown in this session, never synced (D-2). */
  Note?: string | undefined;
  Address?: Address | undefined;
  /** A custom account field: never synced, never shown (D-2). */
  [customField: string]: unknown;
}

/** The account of a management session: as {@link ClientAccount}, with only `AccountNumber` required (D-4). */
export interface ManagedAccount {
  /** The caller's own identifier of the account. */
  AccountNumber: string;
  SubAccountNumber?: string | undefined;
  /** Name of the account holder; without it the account is shown by its number. */
  Name?: string | undefined;
  /** Integer cents; negative is a credit. */
  Balance?: number | undefined;
  PhoneNumber?: string | undefined;
  /** ISO 8601 date, `YYYY-MM-DD`. */
  DueDate?: string | undefined;
  /** ISO 8601 date, `YYYY-MM-DD`. */
  IssueDate?: string | undefined;
  /** Shown in this session, never synced (D-2). */
  Note?: string | undefined;
  Address?: Address | undefined;
  /** A custom account field: never synced, never shown (D-2). */
  [customField: string]: unknown;
}

/** The customer, kept by `EmailAddress` and associated with the accounts of the session (D-6). */
export interface ClientUser {
  /** Identifies the customer; compared trimmed and case-insensitively. */
  EmailAddress: string;
  /** Saved when the customer is first seen, unchangeable by later sessions (D-7). */
  FirstName?: string | undefined;
  /** Saved when the customer is first seen, unchangeable by later sessions (D-7). */
  LastName?: string | undefined;
}

/** One line item of a payment session. */
export interface Charge {
  /** Integer cents, more than 0. */
  Amount: number;
  /** Shown to the payer. */
  Description?: string | undefined;
  /** The caller's own kind of charge. */
  ChargeType?: string | undefined;
  CustomMeta?: CustomMeta | undefined;
  /** The account that is paid; charges without one are fixed. */
  ClientAccount?: ClientAccount | undefined;
}

interface PaymentSessionFields {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  /** 1 to {@link MAX_CHARGES} line items. */
  Charges: NonEmptyList<Charge>;
  /** Custom descriptor of the payment. */
  PaymentDescriptor?: string | undefined;
  /** The caller's reference; unique per business unit, for ever. */
  ClientReference?: string | undefined;
  /** Narrows the methods that the business unit has enabled; omitted means all of them. */
  PaymentMethods?: NonEmptyList<PaymentMethod> | undefined;
  /** A configured field that is omitted here becomes a form field. */
  PaymentFields?: Record<string, PaymentFields[string] | undefined> | undefined;
  CustomMeta?: CustomMeta | undefined;
}

/** Where the buttons after payment lead: both URLs or neither, absolute `http:`/`https:`. */
export type RedirectUrls =
  | {
      /** Where the button after a successful payment leads. */
      SuccessUrl: string;
      /** Where cancel and back lead. */
      ReturnUrl: string;
    }
  | { SuccessUrl?: undefined; ReturnUrl?: undefined };

/** A payment session for customer self-service. */
export type QuickPaySessionRequest = PaymentSessionFields &
  RedirectUrls & {
    Channel: 'QuickPay';
    /** Without it the checkout is anonymous: no wallet, no saved methods (D-8). */
    ClientUser?: ClientUser | undefined;
    PosUser?: undefined;
  };

/** A payment session that an agent starts for a customer. */
export type PosSessionRequest = PaymentSessionFields &
  RedirectUrls & {
    Channel: 'POS';
    /** E-mail address of an agent with POS permission. */
    PosUser: string;
    ClientUser?: undefined;
  };

/**
 * Body of `POST /integrations/embedded/initiate`.
 *
 * @example
 * const request: PaymentSessionRequest = {
 *   BusinessUnitSlug: 'harborlight-water',
 *   Channel: 'QuickPay',
 *   Charges: [{ Amount: 12_345, ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' } }],
 *   ClientUser: { EmailAddress: 'ada@example.com' },
 * };
 */
export type PaymentSessionRequest = QuickPaySessionRequest | PosSessionRequest;

/**
 * Body of the four account-based management endpoints: AutoPay, paperless, schedule a payment, scheduled payments.
 *
 * @example
 * const request: AccountSessionRequest = {
 *   BusinessUnitSlug: 'harborlight-water',
 *   SyncAccount: true,
 *   ClientAccount: { AccountNumber: '1001', Name: 'Ada Byron' },
 *   ClientUser: { EmailAddress: 'ada@example.com' },
 * };
 */
export interface AccountSessionRequest {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  /** Must be `true` when the account is new to the service (D-4). */
  SyncAccount?: boolean | undefined;
  ClientAccount: ManagedAccount;
  ClientUser: ClientUser;
}

/** Body of the two customer-based management endpoints: wallet and notifications (D-5). */
export interface CustomerSessionRequest {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  ClientUser: ClientUser;
}

/** The request body that each flow's endpoint takes. */
export interface SessionRequests {
  payment: PaymentSessionRequest;
  autopay: AccountSessionRequest;
  wallet: CustomerSessionRequest;
  paperless: AccountSessionRequest;
  'schedule-payment': AccountSessionRequest;
  'scheduled-payments': AccountSessionRequest;
  notifications: CustomerSessionRequest;
}

/** Body of `POST /integrations/embedded/query` (R-55, this project's service). */
export interface SessionQuery {
  BusinessUnitSlug: string;
  PaymentSessionIdentifier: string;
}

/** States of a payment session. */
export type PaymentSessionStatus =
  | 'RequiresPaymentSource'
  | 'Processing'
  | 'Succeeded'
  | 'Failed'
  | 'Expired'
  | 'Canceled';

/** States of a management session. */
export type ManagementSessionStatus = 'Open' | 'Completed' | 'Expired' | 'Canceled';

/** Data of a created payment session. `Status` stays open for an operator's own values. */
export interface PaymentSession {
  /** Store it: tracking, support and the query need it. */
  PaymentSessionIdentifier: string;
  /** The session URL, for the SDK. */
  PaymentLogInLink: string;
  Status: PaymentSessionStatus | (string & {});
}

/** Data of a created management session. `Status` stays open for an operator's own values. */
export interface ManagementSession {
  /** Store it: tracking, support and the query need it. */
  PaymentSessionIdentifier: string;
  /** The session URL, for the SDK. */
  PaymentLogInLink: string;
  Status: ManagementSessionStatus | (string & {});
}

/** The data that each flow's endpoint answers with. */
export interface SessionAnswers {
  payment: PaymentSession;
  autopay: ManagementSession;
  wallet: ManagementSession;
  paperless: ManagementSession;
  'schedule-payment': ManagementSession;
  'scheduled-payments': ManagementSession;
  notifications: ManagementSession;
}

/** Which account a charge or an event is about. */
export interface AccountReference {
  AccountNumber: string;
  /** Absent where the account has none. */
  SubAccountNumber?: string;
}

/** A charge as a session's details tell it. */
export interface SessionCharge {
  /** Integer cents, as requested. */
  Amount: number;
  /** Integer cents that the payer paid of it, once paid or on its way from a bank; 0 when it was left out. */
  PaidAmount?: number;
  Description?: string;
  ChargeType?: string;
  CustomMeta?: CustomMeta;
  ClientAccount?: AccountReference;
}

/**
 * States of a payment: `pending` is on its way from a bank, or its outcome is not known yet; `returned` was sent back by
 * the bank, which can also happen after `succeeded`.
 */
export type PaymentStatus = 'succeeded' | 'declined' | 'pending' | 'returned';

/** An attempt to pay, as a session's details tell it. */
export interface SessionPayment {
  /** Names it for a refund. */
  Id: string;
  /** Integer cents. */
  Amount: number;
  /** Integer cents of it that were given back, or are being given back. */
  Refunded: number;
  Method: PaymentMethod | (string & {});
  Status: PaymentStatus | (string & {});
  /** Last four digits of the card or bank account. */
  Last4: string;
  /** Why it was declined or returned, in the processor's word: `insufficient_funds`, `R01`, … */
  Reason?: string;
  /** What the processor calls it: on the gateway's statement. */
  Reference?: string;
  /** ISO 8601, UTC. */
  CreatedAt: string;
}

/** A payment that is told by itself, with what it belongs to. */
export interface Payment extends SessionPayment {
  /** The session in which it was made; of an AutoPay charge, the one in which the payer enrolled. */
  PaymentSessionIdentifier?: string;
  /** That of its session, or of the AutoPay charge. */
  ClientReference?: string;
}

/** What the query tells of a session: no link, so no secret. */
export interface SessionDetails {
  PaymentSessionIdentifier: string;
  Flow: Flow;
  Status: PaymentSessionStatus | ManagementSessionStatus | (string & {});
  ClientReference?: string;
  CustomMeta?: CustomMeta;
  /** Values of configured fields: given in the request and, once the payer has paid, filled in by the payer. */
  PaymentFields?: PaymentFields;
  /** Empty on management sessions. */
  Charges: SessionCharge[];
  /** The newest hundred, oldest first; `payments/list` tells all. More are made only by AutoPay and schedules. */
  Payments: SessionPayment[];
  /** ISO 8601, UTC. */
  CreatedAt: string;
  /** ISO 8601, UTC. */
  ExpiresAt: string;
}
