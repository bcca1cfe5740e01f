import { defined } from '../../core/defined.js';

/** The stored fields of a `ClientAccount` (D-1, D-2), without `Note` and custom fields. */
export interface AccountFields {
  Name?: string;
  Balance?: number;
  PhoneNumber?: string;
  DueDate?: string;
  IssueDate?: string;
  Address?: {
    StreetAddress?: string;
    StreetAddress2?: string;
    City?: string;
    State?: string;
    ZipCode?: string;
  };
}

/** What the merchant last synced of the account's bill, even if a later sync left it out. */
export interface Bill {
  readonly Balance?: number;
  /** Absent until it is known. */
  readonly DueDate?: string;
  /** The first part of the next bill with the same balance: its due date, or the balance alone; and when it was synced. */
  readonly next?: { readonly DueDate?: string; readonly since: number };
  /** Whether payments of earlier bills may be left, so that those of this one can't be summed. */
  readonly isUnsummed?: true;
}

export interface Account {
  readonly id: string;
  readonly businessUnit: string;
  readonly accountNumber: string;
  /** Empty if the request omitted it. */
  readonly subAccountNumber: string;
  readonly fields: AccountFields;
  /** When the bill was first synced, ms since the epoch; absent if that was before release 0.4. */
  readonly billedAt?: number;
  /** Absent if release 0.3 synced it: then the fields have it. */
  readonly bill?: Bill;
}

export interface BillSync {
  /** Whether the request has the balance. Otherwise `fields` may have that of an earlier one. */
  readonly hasBalance: boolean;
  readonly hasDueDate: boolean;
  /** The time of the request, ms since the epoch. */
  readonly now: number;
  /** Its day in the business unit's time zone. */
  readonly today: string;
}

/**
 * The bill after a sync. The same balance again may still include what has been paid since, so it is another bill only if
 * its due date differs, too. Either may be synced first.
 */
export function syncBill(
  account: Pick<Account, 'fields' | 'bill' | 'billedAt'>,
  { Balance, DueDate }: AccountFields,
  { hasBalance, hasDueDate, now, today }: BillSync,
): Pick<Account, 'bill' | 'billedAt'> {
  const { Balance: foundBalance, DueDate: foundDueDate } = account.fields;
  const bill: Bill = account.bill ?? defined({ Balance: foundBalance, DueDate: foundDueDate });
  const { next } = bill;
  const begin = (billedAt: number, date: string | undefined) => ({
    bill: defined({ Balance: hasBalance ? Balance : bill.Balance, DueDate: date }),
    billedAt,
  });
  const keep = (changes: Bill = {}) => ({
    bill: { ...bill, ...changes },
    ...defined({ billedAt: account.billedAt ?? (hasBalance ? now : undefined) }),
  });

  // A date of an earlier request that has passed is the last bill's.
  const date = DueDate !== undefined && (hasDueDate || DueDate >= today) ? DueDate : undefined;
  if (hasBalance && Balance !== bill.Balance) return begin(now, date);

  const isOver = bill.DueDate !== undefined && bill.DueDate < today;
  if (date === undefined && hasBalance && isOver)
    return next?.DueDate === undefined
      ? keep({ next: next ?? { since: now } })
      : begin(next.since, next.DueDate);
  if (date === undefined || date === bill.DueDate) return keep();
  // The due date becomes known, or is put off. On the day itself, its charge has already been made.
  if (bill.DueDate === undefined || (bill.DueDate > today && !hasBalance)) return keep({ DueDate: date });

  const isKnown = next !== undefined && (next.DueDate ?? date) === date;
  if (hasBalance || (isKnown && next.DueDate === undefined)) return begin(isKnown ? next.since : now, date);
  return keep({ next: isKnown ? next : { DueDate: date, since: now } });
}
