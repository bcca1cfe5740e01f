/** One of the seven flows. Every wire format and prop uses this spelling. */
export type Flow =
  | 'payment'
  | 'autopay'
  | 'wallet'
  | 'paperless'
  | 'schedule-payment'
  | 'scheduled-payments'
  | 'notifications';

/** Who starts a payment: the customer (`QuickPay`), or an agent for a customer (`POS`). */
export type Channel = 'QuickPay' | 'POS';

/** The payment methods, in the order to offer them. */
export const PAYMENT_METHODS = ['Credit Card', 'ACH'] as const;

/** A payment method, as listed in `PaymentMethods`. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Any key/value pairs. Webhooks, the query and SDK events return them unchanged. */
export type CustomMeta = Record<string, unknown>;

/** Values for fields that the operator configured. Unknown keys are refused. */
export type PaymentFields = Record<string, string | number | boolean>;

/**
 * A list with at least one item. An empty literal does not compile. A computed list, such as
 * `Charges: bills.map(toCharge)`, compiles and is checked at runtime.
 */
export type NonEmptyList<T> =
  | readonly [T, ...T[]]
  // An empty literal is `never[]`, whose `includes` doesn't even accept `any`.
  // oxlint-disable-next-line typescript/no-explicit-any -- the only type that every item type accepts
  | (readonly T[] & { readonly includes: (item: any) => boolean });

/** Custom fields of an account: any keys outside {@link ClientAccount}. Never synced, never shown (D-2). */
export type CustomFields = object;

/** A postal address. Every field is optional. */
export interface Address {
  /** At most 100 characters. */
  StreetAddress?: string | null | undefined;
  /** At most 100 characters. */
  StreetAddress2?: string | null | undefined;
  /** At most 100 characters. */
  City?: string | null | undefined;
  /** State abbreviation, such as `OR`. */
  State?: string | null | undefined;
  ZipCode?: string | null | undefined;
}

interface AccountFields {
  /** Your identifier of the account. */
  AccountNumber: string;
  SubAccountNumber?: string | null | undefined;
  /**
   * Integer cents; a negative balance is a credit. What is left to pay after every payment that was reported to you,
   * `payment.pending` too: AutoPay charges it.
   */
  Balance?: number | null | undefined;
  PhoneNumber?: string | null | undefined;
  /** ISO 8601, such as `2026-11-30`. The service keeps the date of a date-time as written. */
  DueDate?: string | null | undefined;
  /** ISO 8601, such as `2026-11-30`. The service keeps the date of a date-time as written. */
  IssueDate?: string | null | undefined;
  /** Shown in this session, never synced (D-2). */
  Note?: string | null | undefined;
  Address?: Address | null | undefined;
}

/**
 * The account that a charge belongs to. Every payment session syncs it by `AccountNumber` and `SubAccountNumber` (D-3).
 *
 * @example
 * type MeteredAccount = ClientAccount<{ MeterNumber: string }>; // with a custom field, which is never synced (D-2)
 */
export type ClientAccount<Custom extends CustomFields = CustomFields> = AccountFields & {
  /** Name of the account holder. */
  Name: string;
} & Custom;

/** The account of a management session: like {@link ClientAccount}, but only `AccountNumber` is required (D-4). */
export type ManagedAccount<Custom extends CustomFields = CustomFields> = AccountFields & {
  /** Name of the account holder. Without it, the pages show the account number. */
  Name?: string | null | undefined;
} & Custom;

/** The customer. The service keeps one record per `EmailAddress` and ties it to the session's accounts (D-6). */
export interface ClientUser {
  /** Identifies the customer. Compared trimmed, and `A`–`Z` as `a`–`z`. */
  EmailAddress: string;
  /** Saved once; later session requests do not change it (D-7). */
  FirstName?: string | null | undefined;
  /** Saved once; later session requests do not change it (D-7). */
  LastName?: string | null | undefined;
}

/** What a charge is for. The query and webhooks return it. */
export interface ChargeDetails {
  /** Shown to the payer. */
  Description?: string | null | undefined;
  /** Your own category of charge. */
  ChargeType?: string | null | undefined;
  CustomMeta?: CustomMeta | null | undefined;
}

/** One line item of a payment session. */
export interface Charge<Custom extends CustomFields = CustomFields> extends ChargeDetails {
  /** Integer cents, at least 1. */
  Amount: number;
  /** The account to pay. The payer cannot change a charge without one. */
  ClientAccount?: ClientAccount<Custom> | null | undefined;
}

interface PaymentSessionFields<Custom extends CustomFields> {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  /** 1 to {@link MAX_CHARGES} line items. */
  Charges: NonEmptyList<Charge<Custom>>;
  /** Custom descriptor of the payment, one line of at most 10,000 characters. */
  PaymentDescriptor?: string | null | undefined;
  /** Your own reference; unique per business unit, forever. */
  ClientReference?: string | null | undefined;
  /** Limits the session to some of the business unit's methods; all of them by default. */
  PaymentMethods?: NonEmptyList<PaymentMethod> | null | undefined;
  /** The form asks the payer for every configured field without a value here. */
  PaymentFields?: Record<string, PaymentFields[string] | null | undefined> | null | undefined;
  CustomMeta?: CustomMeta | null | undefined;
}

/** Targets of the buttons after payment: both URLs or neither, absolute `http:` or `https:`, at most 2,048 characters. */
export type RedirectUrls =
  | {
      /** Target of the button after a successful payment. */
      SuccessUrl: string;
      /** Target of cancel and back. */
      ReturnUrl: string;
    }
  | { SuccessUrl?: null | undefined; ReturnUrl?: null | undefined };

/** A payment session that the customer starts. */
export type QuickPaySessionRequest<Custom extends CustomFields = CustomFields> =
  PaymentSessionFields<Custom> &
    RedirectUrls & {
      Channel: 'QuickPay';
      /** Without it the checkout is anonymous: no wallet, no saved methods (D-8). */
      ClientUser?: ClientUser | null | undefined;
      PosUser?: null | undefined;
    };

/** A payment session that an agent starts for a customer. */
export type PosSessionRequest<Custom extends CustomFields = CustomFields> = PaymentSessionFields<Custom> &
  RedirectUrls & {
    Channel: 'POS';
    /** E-mail address of an agent with POS permission. */
    PosUser: string;
    ClientUser?: null | undefined;
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
export type PaymentSessionRequest<Custom extends CustomFields = CustomFields> =
  | QuickPaySessionRequest<Custom>
  | PosSessionRequest<Custom>;

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
export interface AccountSessionRequest<Custom extends CustomFields = CustomFields> {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  /** Must be `true` if the account is new to the service (D-4). */
  SyncAccount?: boolean | null | undefined;
  ClientAccount: ManagedAccount<Custom>;
  ClientUser: ClientUser;
}

/** Body of the two customer-based management endpoints: wallet and notifications (D-5). */
export interface CustomerSessionRequest {
  /** Slug of the business unit, issued with the API key. */
  BusinessUnitSlug: string;
  ClientUser: ClientUser;
}

/** The request body of each flow's endpoint. */
export interface SessionRequests {
  payment: PaymentSessionRequest;
  autopay: AccountSessionRequest;
  wallet: CustomerSessionRequest;
  paperless: AccountSessionRequest;
  'schedule-payment': AccountSessionRequest;
  'scheduled-payments': AccountSessionRequest;
  notifications: CustomerSessionRequest;
}

/**
 * A request as `./schemas` return it: an optional field has a value or is `undefined`, never `null`.
 *
 * @example
 * const read = readRequest(paymentSessionRequestSchema, body);
 * if (read.ok) charge(read.value satisfies Normalized<PaymentSessionRequest>);
 */
export type Normalized<Request> =
  | NormalizedList<Extract<Request, readonly unknown[]>>
  | NormalizedValue<Exclude<Request, readonly unknown[]>>;

type NormalizedList<List extends readonly unknown[]> = [List] extends [never]
  ? never
  : readonly Normalized<List[number]>[];

type NormalizedValue<Value> = Value extends object
  ? { [Key in keyof Value]: Normalized<Exclude<Value[Key], null>> }
  : Value;

/** The request of each flow, {@link Normalized}. */
export type NormalizedSessionRequests = { [F in Flow]: Normalized<SessionRequests[F]> };

/** Body of `POST /integrations/embedded/query`. Not part of the contract: only this project's service has it. */
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

/** Data of a created payment session. Operators may add values to `Status`. */
export interface PaymentSession {
  /** Store it for tracking, support and the query. */
  PaymentSessionIdentifier: string;
  /** The session URL: pass it to the SDK. */
  PaymentLogInLink: string;
  Status: PaymentSessionStatus | (string & {});
}

/** Data of a created management session. Operators may add values to `Status`. */
export interface ManagementSession {
  /** Store it for tracking, support and the query. */
  PaymentSessionIdentifier: string;
  /** The session URL: pass it to the SDK. */
  PaymentLogInLink: string;
  Status: ManagementSessionStatus | (string & {});
}

/** The data that each flow's endpoint returns. */
export interface SessionResponses {
  payment: PaymentSession;
  autopay: ManagementSession;
  wallet: ManagementSession;
  paperless: ManagementSession;
  'schedule-payment': ManagementSession;
  'scheduled-payments': ManagementSession;
  notifications: ManagementSession;
}

/** The account of a charge or an event. */
export interface AccountReference {
  AccountNumber: string;
  /** Absent if the account has no sub-account number. */
  SubAccountNumber?: string;
}

type Returned<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> };

/** A charge in a session's details. */
export interface SessionCharge extends Returned<ChargeDetails> {
  /** Integer cents, as requested. */
  Amount: number;
  /**
   * Integer cents that the payer paid. Set once the payment succeeded or a bank accepted it; 0 if the payer excluded the
   * charge.
   */
  PaidAmount?: number;
  ClientAccount?: AccountReference;
}

/**
 * States of a payment. `pending`: a bank payment has not settled, or the outcome is not known yet. `returned`: the bank
 * returned it, possibly after `succeeded`. `scheduled`: an AutoPay charge for a later day. `canceled`: an AutoPay charge
 * that was canceled before its day.
 */
export type PaymentStatus = 'succeeded' | 'declined' | 'pending' | 'returned' | 'scheduled' | 'canceled';

/** A payment attempt in a session's details. */
export interface SessionPayment {
  /** Identifies the payment, for refunds for example. */
  Id: string;
  /** Integer cents. */
  Amount: number;
  /** Integer cents refunded so far, pending refunds included. */
  Refunded: number;
  Method: PaymentMethod | (string & {});
  Status: PaymentStatus | (string & {});
  /** Last four digits of the card or bank account. */
  Last4: string;
  /** The processor's reason for a decline or return: `insufficient_funds`, `R01`, … */
  Reason?: string;
  /** The processor's own reference, as on the gateway's statement. */
  Reference?: string;
  /** ISO 8601, UTC. */
  CreatedAt: string;
}

/** A payment outside its session's details, in a list or webhook. */
export interface Payment extends SessionPayment {
  /** The session of the payment. For an AutoPay charge: the session in which the payer enrolled. */
  PaymentSessionIdentifier?: string;
  /** The reference of the session or of the AutoPay charge. */
  ClientReference?: string;
}

/** A session as the query returns it: without the link, so without its secret. */
export interface SessionDetails {
  PaymentSessionIdentifier: string;
  Flow: Flow;
  Status: PaymentSessionStatus | ManagementSessionStatus | (string & {});
  ClientReference?: string;
  CustomMeta?: CustomMeta;
  /** Values of configured fields, from the request or from the payer (after payment). */
  PaymentFields?: PaymentFields;
  /** Empty on management sessions. */
  Charges: SessionCharge[];
  /** The newest 100, oldest first. Only AutoPay and schedules create more; `payments/list` returns all of them. */
  Payments: SessionPayment[];
  /** ISO 8601, UTC. */
  CreatedAt: string;
  /** ISO 8601, UTC. */
  ExpiresAt: string;
}
