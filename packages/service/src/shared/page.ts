/**
 * What a hosted page and its service say to each other under `/s/{id}/api/*`: types only, so that `http` and
 * `browser` meet at a URL and nowhere else. Every request carries `Authorization: Bearer <secret>`.
 * Money is integer cents, instants are ISO 8601 in UTC, days are `YYYY-MM-DD`.
 *
 * | request | answer |
 * |---|---|
 * | `GET  session` | `PageSession` |
 * | `POST pay` `PayRequest` | `Attempt` |
 * | `GET  attempts/{attemptId}` | `Attempt` (`never_seen` when the service has no such attempt) |
 * | `POST attempts/{attemptId}/abandon` | `Attempt`; after `never_seen` that attempt never begins |
 * | `POST methods` `AddMethodRequest`, of a {@link MethodsFlow} | `SavedMethod` (the same `requestId` answers the same method) |
 * | `POST methods/{methodId}/name` `{ name }`, of `wallet` | `SavedMethod[]`; an empty name takes it away |
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
    | 'conflict' // 409: the state does not allow it any more (already paid, method in use, already canceled)
    | 'too_many_attempts' // 409: ten declines, or sixty new payment methods
    | 'payments_unavailable' // 503: no processor, or it cannot be reached; nothing was charged
    | 'not_found' // 404
    | 'rate_limited' // 429, with `Retry-After`: nothing was done
    | 'unavailable' // 503, with `Retry-After`: the database is out of reach; what was asked may have been done
    | 'internal'; // 500: the same
  message: string;
  field?: string;
  /** The merchant's page, where a session that is over was given one. */
  returnUrl?: string;
  /** Why, where a payer can meet it and the code does not say it: the page has words of its own for each. */
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
  /** What the payer calls it. */
  name?: string;
  isDefault: boolean;
  /** Its bank forbids that it is charged again, by this code. */
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
  /** The clock of the service, which a test may have moved. */
  now: string;
  expiresAt: string;
  /** Test cards are accepted: the page says so. */
  testMode: boolean;
  business: { name: string; logoUrl?: string };
  /** ISO 3166-1 alpha-2, that a card may be of; absent where it is the US alone. */
  countries?: string[];
  /** Those of them whose addresses have no postcode. */
  withoutPostcode?: string[];
  customer?: { emailAddress: string; firstName?: string; lastName?: string };
}

export interface PageCharge {
  /** Position in `Charges`. */
  index: number;
  amount: number;
  description?: string;
  account?: PageAccount;
  /** The payer may leave it out (several accounts). */
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
  required: boolean;
  /** Given by the merchant: shown, not asked. */
  value?: string;
}

export type ReceiptAccount = Pick<PageAccount, 'accountNumber' | 'subAccountNumber' | 'name'>;

export interface Receipt {
  attemptId: string;
  /** Ten digits to read out. */
  number: string;
  /** Name on the card or of the bank account's holder. */
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
  /** What may be paid with, in the order to show; empty when nothing is left. */
  methods: PaymentMethod[];
  savedMethods: SavedMethod[];
  canSave: boolean;
  successUrl?: string;
  returnUrl?: string;
  attemptsLeft: number;
  /** Why no payment can be taken here at all. */
  unavailable?: string;
  /** An attempt that has no outcome yet: ask `attempts/{id}`. */
  inFlight?: string;
  receipt?: Receipt;
  /** For the merchant's page, passed on in `completed`: session and charge metadata as given. */
  customMeta?: Record<string, unknown>;
  chargeMeta: (Record<string, unknown> | null)[];
}

interface ManagementPageSession extends PageSessionBase {
  status: 'Open' | 'Completed';
}

/** Of a flow in which methods are kept or chosen; to the others nothing of them is told. */
interface MethodsPageSession extends ManagementPageSession {
  methods: PaymentMethod[];
  savedMethods: SavedMethod[];
  /** Why no payment method can be added or used at all. */
  unavailable?: string;
}

export interface AutopayEnrollment {
  method: SavedMethod;
  enrolledAt: string;
}

export interface AutopayPageSession extends MethodsPageSession {
  flow: 'autopay';
  account: PageAccount;
  enrollment?: AutopayEnrollment;
  /** Another customer pays this account by AutoPay: nothing can be changed here. */
  enrolledByAnother?: true;
}

export interface WalletPageSession extends MethodsPageSession {
  flow: 'wallet';
  /** So many can be saved. */
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
  /** Those to come. */
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
  /** Those to come, and the last that are past. */
  scheduled: ScheduledPayment[];
}

export interface NotificationPreferences {
  /** E.164, needed as soon as one `sms` is true. */
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

/** The management flows in which methods are kept or chosen. */
export type MethodsFlow = Extract<PageSession, MethodsPageSession>['flow'];

export type NewSource =
  | {
      method: 'Credit Card';
      cardNumber: string;
      /** `MM/YY` */
      expiry: string;
      securityCode: string;
      name: string;
      /** Of an older page that sends none it is the US. */
      country: string;
      zipCode: string;
    }
  | { method: 'ACH'; holder: string; routingNumber: string; accountNumber: string };

export interface PayRequest {
  /** Made by the page, once per press of Pay and kept across retries of it: the same id is the same payment. */
  attemptId: string;
  source: NewSource | { savedMethodId: string };
  saveMethod: boolean;
  /** The chosen charges. */
  charges: { index: number; amount: number }[];
  /** Values of the fields that the page asked for. */
  fields: Record<string, string>;
  /**
   * R-73, of a bank payment: the text that the payer agreed to by pressing Pay, exactly as it was shown. The service
   * keeps it with the payment, and when.
   */
  authorization?: string;
}

export type Attempt =
  | { status: 'succeeded' | 'pending'; attemptId: string; receipt: Receipt; savedMethod?: SavedMethod }
  | { status: 'declined'; attemptId: string; attemptsLeft: number }
  | { status: 'processing'; attemptId: string }
  | { status: 'never_seen'; attemptId: string };

export interface AddMethodRequest {
  requestId: string;
  source: NewSource;
  /** In the wallet alone, as `renews`. */
  makeDefault: boolean;
  /** The saved card that is given a new date: another card is refused. */
  renews?: string;
}

export interface ScheduleRequest {
  requestId: string;
  amount: number;
  date: string;
  methodId: string;
  /** As with {@link PayRequest}; revoked when the payment is canceled. */
  authorization?: string;
}
