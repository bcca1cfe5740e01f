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
  /** Absent until a due date is synced that had not passed. */
  readonly DueDate?: string;
  /** A later due date that was synced without a balance, and when: of this bill, or of the next. */
  readonly next?: { readonly DueDate: string; readonly since: number };
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
  /** The time of the request, ms since the epoch. */
  readonly now: number;
  /** Its day in the business unit's time zone. */
  readonly today: string;
}

/**
 * The bill after a sync. The same balance again may still include what has been paid meanwhile, so it is another bill only if
 * its due date differs, too.
 */
export function syncBill(
  account: Pick<Account, 'fields' | 'bill' | 'billedAt'>,
  { Balance, DueDate }: AccountFields,
  { hasBalance, now, today }: BillSync,
): Pick<Account, 'bill' | 'billedAt'> {
  const { Balance: foundBalance, DueDate: foundDueDate } = account.fields;
  const bill: Bill = account.bill ?? defined({ Balance: foundBalance, DueDate: foundDueDate });
  const billedAt = account.billedAt ?? (hasBalance ? now : undefined);
  const same = (changes: Bill = {}) => ({ bill: { ...bill, ...changes }, ...defined({ billedAt }) });

  // A date that has passed may be the last bill's, and this one's is still unknown.
  const upcoming = defined({ DueDate: DueDate !== undefined && DueDate >= today ? DueDate : undefined });
  if (hasBalance && Balance !== bill.Balance)
    return { bill: { ...defined({ Balance }), ...upcoming }, billedAt: now };
  if (DueDate === undefined || DueDate === bill.DueDate) return same();
  if (bill.DueDate === undefined) return same(upcoming);

  const next = bill.next?.DueDate === DueDate ? bill.next : { DueDate, since: now };
  return hasBalance ? { bill: { ...defined({ Balance }), DueDate }, billedAt: next.since } : same({ next });
}
