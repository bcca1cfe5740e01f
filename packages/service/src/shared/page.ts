/**
 * The API between a hosted page and the service under `/s/{id}/api/*`, types only. Every request carries
 * `Authorization: Bearer <secret>`.
 * Money is integer cents, instants are ISO 8601 in UTC, days are `YYYY-MM-DD`.
 *
 * | request | answer |
 * |---|---|
 * | `GET  session` | `PageSession` |
 * | `POST pay` `PayRequest` | `Attempt` |
 * | `GET  attempts/{attemptId}` | `Attempt` (`never_seen` if the service has no such attempt) |
 * | `POST attempts/{attemptId}/abandon` | `Attempt`; after `never_seen` that attempt can no longer begin |
 * | `POST attempts/{attemptId}/returned` | `Attempt`: the payer has finished the challenge, so the processor is asked now |
 * | `POST attempts/{attemptId}/cancel` | `Attempt`: the payer gives up the challenge |
 * | `POST attempts/{attemptId}/email` `{ emailAddress }` | `null`: the receipt is sent there, at most three times |
 * | `POST methods` `AddMethodRequest`, of a {@link MethodsFlow} | `SavedMethod` (the same `requestId` answers the same method) |
 * | `POST methods/{methodId}/name` `{ name }`, of `wallet` | `SavedMethod[]`; an empty name removes it |
 * | `POST methods/{methodId}/default`, `POST methods/{methodId}/remove`, of `wallet` | `SavedMethod[]` |
 * | `POST autopay/enroll` and `POST autopay/method` `{ methodId, authorization? }` | `AutopayEnrollment` |
 * | `POST autopay/unenroll` | `null` |
 * | `POST paperless` `{ enrolled }` | `{ enrolled }` |
 * | `POST schedule` `ScheduleRequest` | `ScheduledPayment` (the same `requestId` answers the same one) |
 * | `POST scheduled/{scheduledId}/cancel` | `ScheduledPayment` |
 * | `POST notifications` `NotificationPreferences` | `NotificationPreferences` |
 * | `POST done` | `{ status }` (management flows: `Open` → `Completed`) |
 */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Agreed } from './authorization-text.js';
import type { LogoShape } from './appearance.js';
import type { BankAccountType } from './bank.js';
import type { SessionEnvironment } from './environment.js';
import type { NotificationKind } from './notification.js';
import type { Reason } from './reason.js';
import type { ScheduleStatus } from './schedule.js';

export type { PaymentMethod };

export type PageAnswer<T> = { ok: true; data: T } | { ok: false; errors: PageError[] };

/** `field` is the name of the input in the request body, such as `source.cardNumber`. */
export interface PageError {
  code:
    | 'unauthorized' // the secret is wrong or the session unknown: 401; another page asks: 403
    | 'expired' // 410
    | 'canceled' // 410: by the merchant
    | 'invalid' // 400, with `field`
    | 'conflict' // 409: the state does not allow it (already paid, method in use, already canceled)
    | 'too_many_attempts' // 409: ten declines, or sixty new payment methods
    | 'payments_unavailable' // 503: no processor, or it cannot be reached; no charge was made
    | 'not_found' // 404
    | 'rate_limited' // 429, with `Retry-After`: the request had no effect
    | 'unavailable' // 503, with `Retry-After`: the database is unreachable; the request may have taken effect
    | 'internal'; // 500: the request may have taken effect
  message: string;
  field?: string;
  /** The merchant's page, if an ended session has one. */
  returnUrl?: string;
  /** The reason, for cases that payers meet. The page has its own text for each. */
  reason?: Reason;
}

export interface SavedMethod {
  id: string;
  method: PaymentMethod;
  /** `Visa`, `Mastercard`, … for cards; absent for bank accounts. */
  brand?: string;
  last4: string;
  /** `MM/YY`, cards only. */
  expiry?: string;
  holder?: string;
  /** The payer's name for it. */
  name?: string;
  isDefault: boolean;
  /** The return code that forbids charging it again. */
  blocked?: string;
  usedBy: ('autopay' | 'scheduled-payment')[];
}

export interface PageAccount {
  accountNumber: string;
  subAccountNumber: string;
  name?: string;
  balance?: number;
  phoneNumber?: string;
  dueDate?: string;
  issueDate?: string;
  note?: string;
  address?: {
    streetAddress?: string;
    streetAddress2?: string;
    city?: string;
    state?: string;
    zipCode?: string;
  };
}

interface PageSessionBase {
  id: string;
  environment: SessionEnvironment;
  /** The service's clock, which a test may have moved. */
  now: string;
  /** The current day in the business unit's time zone (R-95). */
  today: string;
  expiresAt: string;
  /** Test cards are accepted, and the page says so. */
  testMode: boolean;
  business: {
    name: string;
    logoUrl?: string;
    logoUrlDark?: string;
    logoShape?: LogoShape;
    /** Who runs the service, as payers know it. */
    operator?: string;
    links?: { terms?: string; privacy?: string; help?: string };
  };
  /** Accepted card countries, ISO 3166-1 alpha-2; absent if only the US. */
  countries?: string[];
  /** Those among them without postcodes. */
  withoutPostcode?: string[];
  customer?: { emailAddress: string; firstName?: string; lastName?: string };
}

export interface PageCharge {
  /** Position in `Charges`. */
  index: number;
  amount: number;
  description?: string;
  account?: PageAccount;
  /** The payer may deselect it (several accounts). */
  selectable: boolean;
  /** The payer may change the amount, between 1 and `maxAmount`. */
  adjustable: boolean;
  maxAmount: number;
  /** Present if the account has several charges, which are paid together or not at all (R-33). */
  group?: {
    /** Index of the account's first charge. */
    first: number;
    /** Over all charges of the account. */
    maxAmount: number;
  };
}

export interface PageField {
  key: string;
  label: string;
  /** By language. */
  labels?: Readonly<Partial<Record<string, string>>>;
  required: boolean;
  /** Set by the merchant: shown, but not editable. */
  value?: string;
}

export type ReceiptAccount = Pick<PageAccount, 'accountNumber' | 'subAccountNumber' | 'name'>;

export interface Receipt {
  attemptId: string;
  /** Ten digits to read out on the phone. */
  number: string;
  /** Name on the card, or holder of the bank account. */
  holder: string;
  status: 'succeeded' | 'pending';
  amount: number;
  method: PaymentMethod;
  brand?: string;
  last4: string;
  paidAt: string;
  charges: {
    index: number;
    amount: number;
    description?: string;
    account?: ReceiptAccount;
  }[];
}

export interface PaymentPageSession extends PageSessionBase {
  flow: 'payment';
  status: 'RequiresPaymentSource' | 'Processing' | 'Succeeded' | 'Failed';
  channel: 'QuickPay' | 'POS';
  posUser?: string;
  descriptor?: string;
  clientReference?: string;
  charges: PageCharge[];
  fields: PageField[];
  /** Offered payment methods, in display order; empty if no method is left. */
  methods: PaymentMethod[];
  savedMethods: SavedMethod[];
  canSave: boolean;
  successUrl?: string;
  returnUrl?: string;
  attemptsLeft: number;
  /** Why payments are not possible at all. */
  unavailable?: string;
  /** An attempt without an outcome: poll `attempts/{id}`. */
  inFlight?: string;
  receipt?: Receipt;
  /** The payer can have the receipt sent to an address (R-104). */
  emailsReceipts?: true;
  /** Metadata of session and charges, unchanged, for the merchant's page in `completed`. */
  customMeta?: Record<string, unknown>;
  chargeMeta: (Record<string, unknown> | null)[];
}

interface ManagementPageSession extends PageSessionBase {
  status: 'Open' | 'Completed';
}

/** Sent only in flows that save or choose methods. */
interface MethodsPageSession extends ManagementPageSession {
  methods: PaymentMethod[];
  savedMethods: SavedMethod[];
  /** Why methods cannot be added or used at all. */
  unavailable?: string;
}

export interface AutopayEnrollment {
  method: SavedMethod;
  /** In the business unit's time zone. */
  enrolledOn: string;
  /** What the service will charge, and when (R-106). Amount in cents, the day in the business unit's time zone. */
  next?: { amount: number; date: string };
  /** Charges that the merchant scheduled, the earliest first, likewise. */
  scheduled?: { amount: number; date: string }[];
  /** The charge of the current bill was declined or returned; the service does not repeat it. */
  failed?: true;
}

export interface AutopayPageSession extends MethodsPageSession {
  flow: 'autopay';
  /** Who charges the account (R-106). */
  chargedBy: 'service' | 'merchant';
  account: PageAccount;
  enrollment?: AutopayEnrollment;
  /** Another customer pays this account by AutoPay, so nothing can be changed here. */
  enrolledByAnother?: true;
}

export interface WalletPageSession extends MethodsPageSession {
  flow: 'wallet';
  /** How many methods can be saved. */
  maxMethods: number;
}

export interface PaperlessPageSession extends ManagementPageSession {
  flow: 'paperless';
  account: PageAccount;
  enrolled: boolean;
  enrolledEmail?: string;
}

export interface SchedulePageSession extends MethodsPageSession {
  flow: 'schedule-payment';
  account: PageAccount;
  /** First and last day that may be chosen. */
  earliest: string;
  latest: string;
  /** Upcoming ones. */
  scheduled: ScheduledPayment[];
}

export interface ScheduledPayment {
  id: string;
  amount: number;
  date: string;
  method: SavedMethod;
  status: ScheduleStatus;
  reason?: string;
}

export interface ScheduledPaymentsPageSession extends ManagementPageSession {
  flow: 'scheduled-payments';
  account: PageAccount;
  /** Upcoming ones, and the most recent past ones. */
  scheduled: ScheduledPayment[];
}

export interface NotificationPreferences {
  /** E.164; required if any `sms` is true. */
  phoneNumber?: string;
  kinds: Record<NotificationKind, { email: boolean; sms: boolean }>;
}

export interface NotificationsPageSession extends ManagementPageSession {
  flow: 'notifications';
  preferences: NotificationPreferences;
}

export type PageSession =
  | PaymentPageSession
  | AutopayPageSession
  | WalletPageSession
  | PaperlessPageSession
  | SchedulePageSession
  | ScheduledPaymentsPageSession
  | NotificationsPageSession;

/** Management flows that save or choose methods. */
export type MethodsFlow = Extract<PageSession, MethodsPageSession>['flow'];

export type NewSource =
  | {
      method: 'Credit Card';
      cardNumber: string;
      /** `MM/YY` */
      expiry: string;
      securityCode: string;
      name: string;
      /** Default: US, for pages of an older release. */
      country: string;
      zipCode: string;
    }
  | {
      method: 'ACH';
      accountType: BankAccountType;
      holder: string;
      routingNumber: string;
      accountNumber: string;
    };

export interface PayRequest {
  /** Made by the page once per press of Pay, and kept across retries: the same id is the same payment. */
  attemptId: string;
  source: NewSource | { savedMethodId: string };
  saveMethod: boolean;
  /** The chosen charges. */
  charges: { index: number; amount: number }[];
  /** Values that the payer filled in. */
  fields: Record<string, string>;
  /**
   * R-73, for a bank payment: which text the payer authorized by pressing Pay. The service writes it, and stores it
   * with the payment and the time (R-94).
   */
  authorization?: Agreed;
}

/** A reason for a decline that the payer can fix. */
export type DeclineAdvice = 'insufficient_funds' | 'card_expired' | 'wrong_code' | 'wrong_zip';

export type Attempt =
  | { status: 'succeeded' | 'pending'; attemptId: string; receipt: Receipt; savedMethod?: SavedMethod }
  | { status: 'declined'; attemptId: string; attemptsLeft: number; advice?: DeclineAdvice }
  | { status: 'processing'; attemptId: string }
  /** The payer must pass the challenge at this address, in a frame (R-101). */
  | { status: 'requires_action'; attemptId: string; action: { url: string } }
  | { status: 'never_seen'; attemptId: string };

export interface AddMethodRequest {
  requestId: string;
  source: NewSource;
  /** Only in the wallet, like `renews`. */
  makeDefault: boolean;
  /** The saved card to renew. A different card is refused. */
  renews?: string;
}

export interface ScheduleRequest {
  requestId: string;
  amount: number;
  date: string;
  methodId: string;
  /** As with {@link PayRequest}; revoked when the payment is canceled. */
  authorization?: Agreed;
}
