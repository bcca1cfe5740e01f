/** The processor port, implemented by the operator's module (`--processor`). */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { BankAccountType } from '../../shared/bank.js';
import type { ServiceEnvironment } from '../../shared/environment.js';
import { defined } from '../../core/defined.js';

/** A card typed by the payer: validated (Luhn, expiry), digits only. Only `tokenize` receives it. */
export interface CardSource {
  method: 'Credit Card';
  /** Digits only. */
  cardNumber: string;
  /** `MM/YY` */
  expiry: string;
  securityCode: string;
  name: string;
  /** ISO 3166-1 alpha-2: one of the business unit's `countries`. */
  country: string;
  /** Postcode in capitals: `12345`, `12345-6789`, `K1A 0B1`, `SW1A 1AA`. */
  zipCode: string;
}

/** A bank account typed by the payer, with a validated routing number. */
export interface BankSource {
  method: 'ACH';
  accountType: BankAccountType;
  holder: string;
  /** Nine digits with a valid ABA checksum. */
  routingNumber: string;
  accountNumber: string;
}

/** Validated payer input, by method. */
export interface Sources {
  'Credit Card': CardSource;
  ACH: BankSource;
}

export type PaymentSource = Sources[PaymentMethod];

/** A tokenized source. `token` is stored, so it must not contain a card or account number. */
export interface Tokenized {
  /** At most 4,000 characters. */
  token: string;
  /** `Visa`, `Mastercard`, …; absent for bank accounts. At most 200 characters. */
  brand?: string;
  /** The last four digits, for receipts. */
  last4: string;
  /**
   * Identifies a card, to detect duplicates: the same each time the card is tokenized, and useless for finding its
   * number. If it is missing, cards with the same brand, last four digits, expiry and holder count as duplicates. At most
   * 200 characters.
   */
  fingerprint?: string;
}

/** For payers and merchants, in production without a processor. */
export const NO_PROCESSOR = 'Payments are not available: this service runs without a payment processor.';

/** For operators, in production without a processor. */
export const NOTHING_CAN_BE_PAID =
  'Nothing can be paid: production runs without a payment processor. Pass --processor MODULE, or --no-processor if that is intended.';

/** `pending`: a bank payment that settles days later. */
export type ChargeOutcome = 'succeeded' | 'declined' | 'pending';
/** `returned`: the bank sent the money back. `never_seen`: the charge never arrived. */
export type LookupOutcome = ChargeOutcome | 'returned' | 'never_seen';
/** `pending`: accepted, but not completed yet. */
export type RefundOutcome = 'succeeded' | 'failed' | 'pending';

/** The outcome of a charge, or of a refund (`succeeded`, `failed` or `pending`). */
export type EventOutcome = ChargeOutcome | RefundOutcome | 'returned';

/**
 * The amount that the processor charged or refunded. If it differs from the payment or refund, the service ignores the
 * outcome.
 */
export interface ProcessorAmount {
  /** Cents. */
  amount?: number;
  /** ISO 4217, in capitals or not. */
  currency?: string;
}

/**
 * An event that reports the outcome of a charge or refund. Set its id, or only the `reference` that you returned for it.
 */
export interface ProcessorEvent extends ProcessorAmount {
  attemptId?: string;
  refundId?: string;
  /** The processor's own id of the charge or refund, at most 200 characters. */
  reference?: string;
  outcome: EventOutcome;
  /** The processor's code, such as `insufficient_funds` or `R01`, at most 200 characters. */
  reason?: string;
}

/** A request to `POST /processor/events`. */
export interface EventDelivery {
  headers: Headers;
  /** The raw bytes, for checking signatures. At most 256 KiB. */
  body: Uint8Array;
}

/** An outcome with the processor's details. */
export interface ProcessorResult<Outcome extends string> extends ProcessorAmount {
  outcome: Outcome;
  /** The processor's code, such as `insufficient_funds` or `R01`, at most 200 characters. */
  reason?: string;
  /** The processor's own id, as on its statements: at most 200 characters, without a card or account number. */
  reference?: string;
}

/** An outcome, alone or with details. */
export type ProcessorResponse<Outcome extends string> = Outcome | ProcessorResult<Outcome>;

/**
 * The payer must pass a challenge, such as 3-D Secure. The service shows it and calls `lookup` until there is an
 * outcome.
 */
export interface RequiresAction {
  outcome: 'requires_action';
  /** The challenge's URL, on one of your `frameOrigins`. At most 2,000 characters. */
  action: { url: string };
  /** As in {@link ProcessorResult}. */
  reference?: string;
}

/**
 * How the payment began. `QuickPay`: on the payer's page. `POS`: by an agent, at a counter or on the phone. `AutoPay` and
 * `Scheduled`: without the payer, under an enrollment or schedule.
 */
export type ProcessorChannel = 'QuickPay' | 'POS' | 'AutoPay' | 'Scheduled';

/** Who started the payment. The `merchant` starts AutoPay and scheduled charges. */
export type Initiator = 'payer' | 'agent' | 'merchant';

/** The browser that paid or authorized. Personal data: never log it. */
export interface Device {
  /** From the connection, or from `X-Forwarded-For` of a proxy in `trustedProxies`. */
  readonly ip?: string;
  /** The `User-Agent` header, at most 500 characters. */
  readonly userAgent?: string;
}

/** Describes the payment that a processor call is for. */
export interface ProcessorContext {
  /** Slug of the business unit that receives the money. */
  businessUnit: string;
  currency: 'USD';
  /** For the payer's statement: the session's `PaymentDescriptor`, or the AutoPay charge's `Description`. */
  descriptor?: string;
  method: PaymentMethod;
  /** The session that paid, scheduled or enrolled. */
  sessionId?: string;
  environment: ServiceEnvironment;
  /** W3C Trace Context of the caller's request. */
  traceparent?: string;
  /** The processor's own id of the charge, if it has returned one. On `lookup` and `refund`. */
  reference?: string;
  /** How the payment began. On `refund`, that of the refunded payment. On `tokenize`, the source's purpose. */
  channel: ProcessorChannel;
  /**
   * On `tokenize`: `charge` if a charge follows immediately, which can report why the bank declines; otherwise `save`.
   */
  purpose?: 'charge' | 'save';
  /** Who started the payment. On `refund`, that of the refunded payment. On `tokenize`, who typed the source. */
  initiator: Initiator;
  /**
   * The payer. `ip` and `userAgent` come from the request that pays, or, if no payer is present or the service retries
   * later, from the authorization. For `POS`, they are the agent's.
   */
  payer?: { email?: string; ip?: string; userAgent?: string };
  /** Bank payments only: the text that the payer agreed to, and when (ISO 8601). */
  authorization?: { text: string; at: string };
  /**
   * On `charge`, `lookup` and `cancel`: where a finished challenge sends its frame. Absent if no payer is present.
   */
  returnUrl?: string;
}

/** Timeout of `forget`, ms. */
export const FORGET_MS = 10_000;

export function processorContext({
  descriptor,
  sessionId,
  traceparent,
  email,
  device,
  ...always
}: Omit<ProcessorContext, 'currency' | 'descriptor' | 'sessionId' | 'traceparent' | 'payer'> & {
  descriptor?: string | undefined;
  sessionId?: string | undefined;
  traceparent?: string | undefined;
  email?: string | undefined;
  device?: Device | undefined;
}): ProcessorContext {
  const payer = defined({ email, ip: device?.ip, userAgent: device?.userAgent });
  return {
    ...always,
    currency: 'USD',
    ...defined({ descriptor, sessionId, traceparent }),
    ...(Object.keys(payer).length > 0 ? { payer } : {}),
  };
}

/** A charge. */
export interface Charge {
  /** The idempotency key. After a crash, the charge is repeated with the same id and must not charge twice. */
  attemptId: string;
  token: string;
  /** Cents. */
  amount: number;
  context: ProcessorContext;
}

/** A refund. */
export interface Refund {
  /** The idempotency key. After a crash, the refund is repeated with the same id and must not refund twice. */
  refundId: string;
  /** The charge to refund. */
  attemptId: string;
  /** Cents, at most the amount of the charge. */
  amount: number;
  /** The merchant's own reason. */
  reason?: string;
  context: ProcessorContext;
}

/**
 * Moves money for the service. Every method may reject. After a lost or invalid response, the service calls `lookup` and
 * changes nothing until it knows the outcome.
 *
 * @example
 * ```ts
 * const processor: PaymentProcessor = {
 *   tokenize: (source, { businessUnit }) => vault.store(source, { merchant: businessUnit }),
 *   charge: ({ attemptId, token, amount, context }) =>
 *     gateway.charge(token, amount, { idempotencyKey: attemptId, descriptor: context.descriptor }),
 *   lookup: (attemptId) => gateway.find(attemptId),
 * };
 * export default processor;
 * ```
 */
export interface PaymentProcessor {
  /**
   * Exchanges a source for a token. To refuse it with a message for the payer, reject with a {@link
   * SourceRefused}, or any error with `code: 'source_refused'`. If you implement `forget`, return a different token
   * each time: forgetting one must not affect the others.
   */
  tokenize(source: PaymentSource, context: ProcessorContext): Promise<Tokenized>;
  /** Charges once per `attemptId`. */
  charge(charge: Charge): Promise<ProcessorResponse<ChargeOutcome> | RequiresAction>;
  /**
   * Finds the outcome of an attempt. After `never_seen`, the service charges again with the same id, but not within the
   * first two minutes, and not later than half an hour, or three days if no payer waits.
   */
  lookup(
    attemptId: string,
    context: ProcessorContext,
  ): Promise<ProcessorResponse<LookupOutcome> | RequiresAction>;
  /** Origins that challenges load from, such as `https://challenges.gateway.example`. Pages frame no others. */
  readonly frameOrigins?: readonly string[];
  /**
   * Ends a challenge that the payer canceled or didn't pass within 15 minutes. Resolves like `lookup`: a payment that has
   * succeeded stays succeeded. Retried if it fails. If you don't implement it, challenges end when the processor ends
   * them.
   */
  cancel?(
    attemptId: string,
    context: ProcessorContext,
  ): Promise<ProcessorResponse<LookupOutcome> | RequiresAction>;
  /** Refunds once per `refundId`. Repeated with the same id while `pending`. If missing, refunds are refused. */
  refund?(refund: Refund): Promise<ProcessorResponse<RefundOutcome>>;
  /**
   * Parses the processor's own webhook. Check its signature and reject if it is wrong: the sender gets 400.
   * Return the events about charges and refunds, and `[]` for all others. If implemented, bank payments are not polled.
   */
  receive?(delivery: EventDelivery): Promise<ProcessorEvent[]>;
  /**
   * Deletes a token that will never be charged again: of a removed method, or of a source that wasn't saved.
   * Refunds and lookups of its payments may follow. Retried if it fails or the service stops during the call, so deleting
   * an unknown token must succeed.
   */
  forget?(token: string, context: ProcessorContext): Promise<void>;
  /**
   * Changes the expiry date (`MM/YY`) of a saved card, which keeps its token. Payers press "Edit expiry". To refuse the date
   * with a message for the payer, reject as in `tokenize`. May be repeated. If missing, payers enter the whole card again.
   */
  updateExpiry?(token: string, expiry: string, context: ProcessorContext): Promise<void>;
}

/** Reject `tokenize` with this to refuse a source. The message is for the payer. */
export interface SourceRefused extends Error {
  code: 'source_refused';
  /** `cardNumber`, `accountNumber`, … */
  field?: string;
}

export function sourceRefused(message: string, field?: string): SourceRefused {
  return Object.assign(new Error(message), {
    code: 'source_refused' as const,
    ...defined({ field }),
  });
}
