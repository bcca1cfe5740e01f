/** The port to whoever moves the money: implemented by a module of the operator's, given with `--processor`. */

/** A card as the payer typed it, checked (Luhn, expiry) and reduced to digits. It never leaves the processor's `tokenize`. */
export interface CardSource {
  method: 'Credit Card';
  /** Digits only. */
  cardNumber: string;
  /** `MM/YY` */
  expiry: string;
  securityCode: string;
  name: string;
  zipCode: string;
}

/** A bank account as the payer typed it, with a checked routing number. */
export interface BankSource {
  method: 'ACH';
  holder: string;
  /** Nine digits with a valid ABA checksum. */
  routingNumber: string;
  accountNumber: string;
}

export type PaymentSource = CardSource | BankSource;

/** What stands for a source from then on. `token` must hold no card or account number: it is stored. */
export interface Tokenized {
  token: string;
  /** `Visa`, `Mastercard`, …; absent for bank accounts. */
  brand?: string;
  /** The last four digits, for receipts. */
  last4: string;
}

export type ChargeOutcome = 'succeeded' | 'declined' | 'pending';
export type LookupOutcome = ChargeOutcome | 'returned' | 'never_seen';

/**
 * Moves money for the service. Every method may reject: an outcome that the service did not hear is asked for
 * again with `lookup`.
 *
 * @example
 * ```ts
 * const processor: PaymentProcessor = {
 *   tokenize: (source) => vault.store(source),
 *   charge: ({ attemptId, token, amount }) => gateway.charge(token, amount, { idempotencyKey: attemptId }),
 *   lookup: (attemptId) => gateway.find(attemptId),
 * };
 * export default processor;
 * ```
 */
export interface PaymentProcessor {
  /**
   * Exchanges a source for a token. To refuse a source with words for the payer, reject with a
   * {@link SourceRefused}, or any error with `code: 'source_refused'`.
   */
  tokenize(source: PaymentSource): Promise<Tokenized>;
  /**
   * Charges `amount` cents. `attemptId` is the idempotency key: the same id is asked again after a crash
   * (when `lookup` said `never_seen`) and must never move money twice. `pending`: a bank payment that settles
   * days later.
   */
  charge(attempt: { attemptId: string; token: string; amount: number }): Promise<ChargeOutcome>;
  /** What became of an attempt. `never_seen`: the charge did not arrive. */
  lookup(attemptId: string): Promise<LookupOutcome>;
}

/** What `tokenize` rejects with to refuse a source: words for the payer and the input that they belong to. */
export interface SourceRefused extends Error {
  code: 'source_refused';
  /** `cardNumber`, `accountNumber`, … */
  field?: string;
}

export function sourceRefused(message: string, field?: string): SourceRefused {
  return Object.assign(new Error(message), {
    code: 'source_refused' as const,
    ...(field === undefined ? {} : { field }),
  });
}

/** By its `code`, so that a processor module needs no import of ours. */
export function isSourceRefused(error: unknown): error is SourceRefused {
  return error instanceof Error && (error as { code?: unknown }).code === 'source_refused';
}
