/**
 * The API between a hosted page and the service under `/s/{id}/api/*`. Every request carries
 * `Authorization: Bearer <secret>`.
 * Money is integer cents, instants are ISO 8601 in UTC, days are `YYYY-MM-DD`.
 *
 * | request | response |
 * |---|---|
 * | `GET  session` | `PageSession` |
 * | `POST pay` `PayRequest` | `Attempt` |
 * | `GET  attempts/{attemptId}` | `Attempt` (`never_seen` if the service has no such attempt) |
 * | `POST attempts/{attemptId}/abandon` | `Attempt`; after `never_seen`, the attempt can no longer start |
 * | `POST attempts/{attemptId}/returned` | `Attempt`: the payer finished the challenge, so look up the outcome now |
 * | `POST attempts/{attemptId}/cancel` | `Attempt`: the payer canceled the challenge |
 * | `POST attempts/{attemptId}/email` `{ emailAddress }` | `null`: sends the receipt to the address, at most three times |
 * | `POST methods` `AddMethodRequest`, only in a {@link MethodsFlow} | `SavedMethod` (idempotent by `requestId`) |
 * | `POST methods/{methodId}/name` `{ name }`, only in `wallet` | `SavedMethod[]`; an empty name removes the name |
 * | `POST methods/{methodId}/expiry` `{ expiry }`, only in `wallet` with `editsExpiry` | `SavedMethod[]` |
 * | `POST methods/{methodId}/default`, `POST methods/{methodId}/remove`, only in `wallet` | `SavedMethod[]` |
 * | `POST autopay/enroll` and `POST autopay/method` `{ methodId, authorization? }` | `AutopayEnrollment` |
 * | `POST autopay/unenroll` | `null` |
 * | `POST paperless` `{ enrolled }` | `{ enrolled }` |
 * | `POST schedule` `ScheduleRequest` | `ScheduledPayment` (idempotent by `requestId`) |
 * | `POST scheduled/{scheduledId}/cancel` | `ScheduledPayment` |
 * | `POST notifications` `Preferences` | `Preferences` |
 * | `POST done` | `{ status }` (management flows: `Open` → `Completed`) |
 */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { AgreedText } from './authorization-text.js';
import type { LogoShape } from './appearance.js';
import type { BankAccountType } from './bank.js';
import type { SessionEnvironment } from './environment.js';

export type { PaymentMethod };

export type PageResponse<T> = { ok: true; data: T } | { ok: false; errors: PageError[] };

/** `field` is the name of the input in the request body, such as `source.cardNumber`. */
export interface PageError {
  code:
    | 'unauthorized' // 401: wrong secret or unknown session; 403: request from another origin
    | 'expired' // 410
    | 'canceled' // 410: by the merchant
    | 'invalid' // 400, with `field`
    | 'conflict' // 409: not possible in this state (already paid, method in use, already canceled)
    | 'too_many_attempts' // 409: ten declines, a hundred abandoned payments, or sixty new payment methods
    | 'payments_unavailable' // 503: no processor, or it is unreachable; nothing was charged
    | 'not_found' // 404
    | 'rate_limited' // 429, with `Retry-After`: the request had no effect
    | 'unavailable' // 503, with `Retry-After`: the database is unreachable; the request may have had an effect
    | 'internal'; // 500: the request may have had an effect
  message: string;
  field?: string;
  /** Where an ended session sends the payer: the merchant's page. */
  returnUrl?: string;
  /** For problems that payers can run into. The page has a text for each. */
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
  /** The return code that forbids further charges. */
  blocked?: string;
  usedBy: readonly ('autopay' | 'scheduled-payment')[];
}

/** Why a method can't be charged on a day: its bank or the business unit refuses it, or it will have expired. */
export type ChargeObstacle = 'blocked' | 'not_accepted' | 'expired';

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
  /** Whether test cards are accepted. The page says so. */
  testMode: boolean;
  business: {
    name: string;
    logoUrl?: string;
    logoUrlDark?: string;
    logoShape?: LogoShape;
    /** The service operator's name, as payers know it. */
    operator?: string;
    links?: { account?: string; terms?: string; privacy?: string; help?: string };
  };
  /** Accepted card countries, ISO 3166-1 alpha-2; absent if only the US. */
  countries?: string[];
  /** The subset of `countries` without postcodes. */
  withoutPostcode?: string[];
  customer?: { emailAddress: string; firstName?: string; lastName?: string };
}

/** What the merchant wrote about a charge. Blank texts are omitted. */
export interface ChargeTexts {
  description?: string;
}

export interface OfferedCharge {
  /** Position in `Charges`. */
  index: number;
  amount: number;
  /** Whether the payer may deselect it (several accounts). */
  selectable: boolean;
  /** Whether the payer may change the amount, between 1 and `maxAmount`. */
  adjustable: boolean;
  maxAmount: number;
  /** Present if the account has several charges, which are paid together or not at all (R-33). */
  group?: {
    /** Index of the account's first charge. */
    first: number;
    /** Total of the account's charges. */
    maxAmount: number;
  };
}

export interface PageCharge extends OfferedCharge, ChargeTexts {
  account?: PageAccount;
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

export interface ReceiptCharge extends ChargeTexts {
  index: number;
  amount: number;
  account?: ReceiptAccount;
}

/** What a payer can recognize a payment by. */
export interface ReceiptFacts {
  /** Ten digits, to read out on the phone. */
  number: string;
  amount: number;
  method: PaymentMethod;
  brand?: string;
  last4: string;
  paidAt: string;
}

export interface Receipt extends ReceiptFacts {
  attemptId: string;
  /** Name on the card, or holder of the bank account. */
  holder: string;
  status: 'succeeded' | 'pending';
  charges: ReceiptCharge[];
  /** Completed refunds: cents, and when they began. */
  refunds?: { amount: number; at: string }[];
}

interface AuthorizingPageSession {
  /** Identifies what an authorization says besides the payer's choices. Payments have it if bank accounts are accepted. */
  terms?: string;
}

export interface PaymentPageSession extends PageSessionBase, AuthorizingPageSession {
  flow: 'payment';
  status: 'RequiresPaymentSource' | 'Processing' | 'Succeeded' | 'Failed';
  channel: 'QuickPay' | 'POS';
  posUser?: string;
  descriptor?: string;
  clientReference?: string;
  charges: PageCharge[];
  fields: PageField[];
  /** Offered payment methods, in display order. May be empty. */
  methods: PaymentMethod[];
  savedMethods: SavedMethod[];
  canSave: boolean;
  successUrl?: string;
  returnUrl?: string;
  attemptsLeft: number;
  /** Why payments are not possible at all. */
  unavailable?: string;
  /** Another payment is paying every account, or has since the session was created. */
  automaticPayment?: true;
  /** The payer's next scheduled payment of one of the accounts: cents, and the day `YYYY-MM-DD`. */
  scheduled?: { amount: number; date: string };
  /** An attempt without an outcome: poll `attempts/{id}`. */
  inFlight?: string;
  /** Its cents. Absent in responses of earlier releases. */
  inFlightAmount?: number;
  receipt?: Receipt;
  /** The payment went through, and the cardholder took it back. */
  disputed?: true;
  /** The payment that the bank returned. */
  returned?: ReceiptFacts;
  /** Whether the payer can have the receipt e-mailed (R-104). */
  emailsReceipts?: true;
  /** The session's and charges' metadata, passed on to the merchant's page in `completed`. */
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
  /** Charges that the merchant scheduled, earliest first. */
  scheduled?: { amount: number; date: string }[];
  /** Why the method can't be charged today, or on the day of a charge, which is left out above. */
  problem?: { obstacle: ChargeObstacle; date: string };
  /** The current bill's charge was declined or returned. The service won't retry it. */
  failed?: true;
  /** The current bill is unpaid, and AutoPay won't charge it. */
  overdue?: true;
}

export interface AutopayPageSession extends MethodsPageSession, AuthorizingPageSession {
  flow: 'autopay';
  /** Who charges the account (R-106). */
  chargedBy: 'service' | 'merchant';
  account: PageAccount;
  enrollment?: AutopayEnrollment;
  /** Another customer pays this account by AutoPay, so this one can't change it. */
  enrolledByAnother?: true;
  /** The payer's upcoming payments for the account, if any. AutoPay doesn't cancel them. */
  scheduled?: ScheduledPayment[];
}

export interface WalletPageSession extends MethodsPageSession {
  flow: 'wallet';
  /** How many methods can be saved. */
  maxMethods: number;
  /** Whether the processor can change a card's expiry date. Otherwise, the payer enters the card again. */
  editsExpiry?: true;
}

export interface PaperlessPageSession extends ManagementPageSession {
  flow: 'paperless';
  account: PageAccount;
  enrolled: boolean;
}

export interface SchedulePageSession extends MethodsPageSession, AuthorizingPageSession {
  flow: 'schedule-payment';
  account: PageAccount;
  /** The payer's AutoPay, so that they don't schedule what it pays. */
  enrollment?: AutopayEnrollment;
  /** Another customer pays this account by AutoPay. */
  enrolledByAnother?: true;
  /** First and last day to choose from. */
  earliest: string;
  latest: string;
  scheduled: ScheduledPayment[];
  /** One of them was scheduled in this session. */
  hasScheduled?: true;
}

export interface ScheduledPayment {
  id: string;
  amount: number;
  date: string;
  method: SavedMethod;
  status: ScheduleStatus;
  reason?: string;
  /** Why it will fail, while its status is `scheduled`. */
  problem?: ChargeObstacle;
}

export interface ScheduledPaymentsPageSession extends ManagementPageSession {
  flow: 'scheduled-payments';
  account: PageAccount;
  /** Upcoming and recent payments. */
  scheduled: ScheduledPayment[];
}

export interface Preferences {
  /** E.164; required if any `sms` is true. */
  readonly phoneNumber?: string;
  readonly kinds: Readonly<Record<NotificationKind, ChannelChoice>>;
}

export interface ChannelChoice {
  readonly email: boolean;
  readonly sms: boolean;
}

export interface NotificationsPageSession extends ManagementPageSession {
  flow: 'notifications';
  preferences: Preferences;
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
  /** Generated for each press of Pay and reused by retries: the same id is the same payment. */
  attemptId: string;
  source: NewSource | { savedMethodId: string };
  saveMethod: boolean;
  charges: { index: number; amount: number }[];
  /** Values that the payer filled in. */
  fields: Record<string, string>;
  /**
   * Bank payments only (R-73): the text that the payer authorized by pressing Pay. The service composes it again and
   * stores it with the payment and the time (R-94).
   */
  authorization?: AgreedText;
}

/** A reason for a decline that the payer can do something about. */
export type DeclineAdvice =
  | 'insufficient_funds'
  | 'card_expired'
  | 'wrong_code'
  | 'wrong_zip'
  | 'not_confirmed'; // the payer canceled the challenge or didn't finish it

export type Attempt =
  | {
      status: 'succeeded' | 'pending';
      attemptId: string;
      receipt: Receipt;
      savedMethod?: Pick<SavedMethod, 'id'>;
    }
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
  /** Ids of the payments that the page lists. If another is scheduled, the request is refused: `already_scheduled`. */
  listed?: readonly string[];
  /** As in {@link PayRequest}. Revoked when the payment is canceled. */
  authorization?: AgreedText;
}

/** Reasons for a refusal that payers can run into. The page explains each in the payer's language. */
export type Reason = FieldReason | FlowReason | 'source_refused'; // by the processor, whose message is shown

/** Shown next to the field. */
export type FieldReason =
  | 'card_expired' // or will have expired on the day of the payment
  | 'method_removed'
  | 'method_blocked' // by its bank
  | 'method_not_offered'
  | 'paid_automatically' // by AutoPay, a schedule or in another session, so leave the account out
  | 'terms_changed' // the authorization's, since the page was opened
  | 'page_outdated'; // a newer release words the authorization differently

/** Shown by the flow's page. */
export type FlowReason =
  | 'used_by_autopay'
  | 'used_by_scheduled'
  | 'enrolled_by_another'
  | 'not_enrolled'
  | 'payment_started'
  | 'already_scheduled' // a payment that the page doesn't list
  | 'wallet_full';

/** Statuses of a scheduled payment. `executing`: charged, but the bank payment hasn't settled yet. */
export type ScheduleStatus = 'scheduled' | 'executing' | 'executed' | 'failed' | 'canceled';

/** All other statuses are past. */
export const UPCOMING_STATUSES: readonly ScheduleStatus[] = ['scheduled', 'executing'];

/** Kinds of notifications (R-57), in display order. */
export const NOTIFICATION_KINDS = [
  'payment-confirmation',
  'payment-reminder',
  'bill-ready',
  'autopay',
  'autopay-reminder',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
