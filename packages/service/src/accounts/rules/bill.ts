/** Decides whether a sync of an account continues its bill or begins the next one. */
import type { Enrollment } from '../../autopay/rules.js';
import { addDays, startOf } from '../../core/day.js';
import { defined } from '../../core/defined.js';
import type { Account, AccountFields, Bill } from './account.js';

export interface BillSync {
  /** Whether the request has a balance. Otherwise, `fields` may have the balance of an earlier request. */
  readonly hasBalance: boolean;
  readonly hasDueDate: boolean;
  readonly now: number;
  /** Its day in the business unit's time zone. */
  readonly today: string;
}

export interface SyncedBill extends Pick<Account, 'bill' | 'billedAt'> {
  /** Set by a new bill: it includes what was accepted before then, ms since the epoch. */
  readonly includesBefore?: number;
}

/** `billedAt` of a bill that release 0.3 synced, which didn't store it. */
export const BILLED_BY_OLDER = 0;

export function billedByOlder({ Balance, DueDate }: AccountFields): number | undefined {
  return Balance === undefined || DueDate === undefined ? undefined : BILLED_BY_OLDER;
}

/** Less than a month, so that payments of a monthly bill's predecessor on its own due date don't count toward it. */
const DAYS_OF_OLDER_BILL = 27;

/** Whether a payment that names no bill may pay one that release 0.3 synced. */
export function mayPayOlder({ DueDate = '' }: AccountFields, answeredAt: number): boolean {
  return (startOf(addDays(DueDate, -DAYS_OF_OLDER_BILL)) ?? Infinity) <= answeredAt;
}

/**
 * The bill after a sync. A repeated balance may include amounts that were paid since, so it is a new bill only if its
 * due date differs, too. Either may be synced first.
 *
 * @param enrollment null if the account is not enrolled in AutoPay, or if its due date is still ahead
 */
export function syncBill(
  account: Pick<Account, 'fields' | 'bill' | 'billedAt'>,
  { Balance, DueDate }: AccountFields,
  { hasBalance, hasDueDate, now, today }: BillSync,
  enrollment: Pick<Enrollment, 'dueDate'> | null,
): SyncedBill {
  const { fields, billedAt = billedByOlder(fields) } = account;
  const bill: Bill = account.bill ?? defined({ Balance: fields.Balance, DueDate: fields.DueDate });
  const { next } = bill;
  const keep = (changes: Bill = {}) => ({ bill: { ...bill, ...changes }, ...defined({ billedAt }) });
  const begin = (begun: Bill, since?: number) => ({
    bill: begun,
    billedAt: since ?? now,
    // Includes everything recorded so far. Not the time of the sync, because processes' clocks differ.
    includesBefore: since ?? Number.MAX_SAFE_INTEGER,
  });

  const isWaiting = (day: string) => enrollment?.dueDate === day;
  const hasPassed = (day: string) => day < today || (day === today && enrollment !== null && !isWaiting(day));
  // An earlier request's date that has passed, or whose charge has begun, belongs to the last bill.
  const date = hasDueDate || (DueDate !== undefined && !hasPassed(DueDate)) ? DueDate : undefined;
  if (hasBalance && (billedAt === undefined || Balance !== bill.Balance))
    return begin(defined({ Balance, DueDate: date }));

  const isOver = bill.DueDate !== undefined && hasPassed(bill.DueDate) && !isWaiting(bill.DueDate);
  if (date === bill.DueDate || (date === undefined && !(hasBalance && isOver))) return keep();

  // The due date becomes known, or is postponed before AutoPay has begun its charge.
  const isPutOff =
    bill.DueDate === undefined || (!hasBalance && (bill.DueDate > today || isWaiting(bill.DueDate)));
  if (date !== undefined && isPutOff) return keep({ DueDate: date });

  const first = next?.DueDate === undefined || date === undefined || next.DueDate === date ? next : undefined;
  const nextDate = date ?? first?.DueDate;
  const hasNextBalance = hasBalance || (first !== undefined && first.DueDate === undefined);
  return nextDate !== undefined && hasNextBalance
    ? begin(defined({ Balance: bill.Balance, DueDate: nextDate }), first?.since)
    : keep({ next: first ?? { ...defined({ DueDate: date }), since: now } });
}
