/** The ledger: an entry per account for each payment, refund and return. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { PaymentSessionRequest } from '../core/requests.js';
import { accountText } from '../accounts/rules/account-sync.js';
import type { Attempt, ChosenCharge } from '../payments/rules/attempt.js';
import type { Refund } from '../refunds/rules.js';
import { inert } from '../shared/inert.js';

export type EntryType = 'payment' | 'refund' | 'return';

/** An account's share of a movement. Entries are never changed or deleted. */
export interface LedgerEntry {
  readonly id: string;
  readonly line: number;
  readonly businessUnit: string;
  readonly date: string;
  readonly type: EntryType;
  readonly paymentId: string;
  readonly sessionId: string;
  /** Empty if the charge has no account. */
  readonly accountNumber: string;
  readonly subAccountNumber: string;
  readonly description: string;
  /** Cents; negative for refunds and returns, positive for a refund that failed after it had succeeded. */
  readonly amount: number;
  readonly method: PaymentMethod;
  readonly reference: string | undefined;
}

export type AccountLine = Pick<LedgerEntry, 'accountNumber' | 'subAccountNumber' | 'description' | 'amount'>;

export interface Ledger {
  insert(entries: readonly LedgerEntry[]): Promise<unknown>;
  ofPayment(paymentId: string): Promise<LedgerEntry[]>;
  /** The entries of the payment itself or of one of its refunds, by `id`. */
  ofMovement(paymentId: string, id: string): Promise<LedgerEntry[]>;
  /** The payment's own entries, each with the amount that its refunds have left. */
  sharesLeft(paymentId: string): Promise<LedgerEntry[]>;
  page(filter: LedgerFilter): Promise<LedgerEntry[]>;
}

/** Whether a cardholder took back a payment that had succeeded. One that was only pending has no entries. */
export async function isDisputed(
  ledger: Pick<Ledger, 'ofMovement'>,
  { id, status, source }: Attempt,
): Promise<boolean> {
  if (status !== 'returned' || source.method !== 'Credit Card') return false;
  return (await ledger.ofMovement(id, id)).length > 0;
}

export interface LedgerFilter {
  readonly businessUnit: string;
  /** First day, and the day after the last one, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  readonly after?: Pick<LedgerEntry, 'date' | 'id' | 'line'>;
  readonly limit: number;
}

/** One line per account; charges without an account share a line. */
export function linesOfCharges(
  chosen: readonly ChosenCharge[],
  charges: PaymentSessionRequest['Charges'],
): AccountLine[] {
  const lines = new Map<string, AccountLine>();
  for (const { index, amount } of chosen) {
    const { ClientAccount, Description = '' } = charges[index] ?? {};
    const accountNumber = ClientAccount?.AccountNumber ?? '';
    const subAccountNumber = ClientAccount?.SubAccountNumber ?? '';
    const key = accountText({ accountNumber, subAccountNumber });
    const before = lines.get(key);
    const descriptions = [before?.description, Description].filter(Boolean);
    lines.set(key, {
      accountNumber,
      subAccountNumber,
      description: inert(descriptions.join('; ')),
      amount: (before?.amount ?? 0) + amount,
    });
  }
  return [...lines.values()];
}

export function paymentEntries(attempt: Attempt, lines: readonly AccountLine[], date: string): LedgerEntry[] {
  const { id, businessUnit, sessionId, source, reference } = attempt;
  return lines.map((each, line) => ({
    ...each,
    id,
    line,
    businessUnit,
    date,
    type: 'payment',
    paymentId: id,
    sessionId,
    method: source.method,
    reference,
  }));
}

/** A bank takes back the whole amount, even if part of it was refunded. @param paid its own entries */
export function returnEntries(
  { id, reference }: Pick<LedgerEntry, 'id' | 'reference'>,
  paid: readonly LedgerEntry[],
  date: string,
): LedgerEntry[] {
  return paid.map((each) => ({
    ...each,
    id: `${id}-return`,
    type: 'return',
    amount: -each.amount,
    date,
    reference,
  }));
}

const FAILURE = '-failure';

/** The refund of an entry of this type. */
export function refundIdOf({ id }: Pick<LedgerEntry, 'id'>): string {
  return id.endsWith(FAILURE) ? id.slice(0, -FAILURE.length) : id;
}

/** The entries of a refund that failed after it had succeeded. @param booked its entries */
export function failureEntries(
  { id, reference }: Pick<Refund, 'id' | 'reference'>,
  booked: readonly LedgerEntry[],
  date: string,
): LedgerEntry[] {
  return booked.map((each) => ({
    ...each,
    id: `${id}${FAILURE}`,
    amount: -each.amount,
    date,
    reference: reference ?? each.reference,
  }));
}

/** The entries of a refund, split in proportion to each account's remaining share of the payment. */
export function refundEntries(
  { id, amount, reference }: Refund,
  left: readonly LedgerEntry[],
  date: string,
): LedgerEntry[] {
  const shares = split(
    amount,
    left.map((share) => share.amount),
  );
  return left
    .map((each, i): LedgerEntry => ({
      ...each,
      id,
      type: 'refund',
      amount: -(shares[i] ?? 0),
      date,
      reference,
    }))
    .filter((entry) => entry.amount !== 0);
}

/**
 * Splits cents in proportion to weights. Cents lost by rounding go to the largest remainders.
 * @param amount at most the sum of the weights, so that no share exceeds its weight
 */
export function split(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map(() => 0);

  // Products of two amounts can exceed the safe integers.
  const products = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const shares = products.map((product) => Number(product / BigInt(total)));
  const remainders = products.map((product) => Number(product % BigInt(total)));
  const order = [...weights.keys()].toSorted((a, b) => (remainders[b] ?? 0) - (remainders[a] ?? 0));
  const leftOver = amount - shares.reduce((sum, share) => sum + share, 0);
  for (const i of order.slice(0, leftOver)) shares[i] = (shares[i] ?? 0) + 1;
  return shares;
}
