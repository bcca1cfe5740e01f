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

/** The account's bill as last synced, even if a later sync omitted it. */
export interface Bill {
  readonly Balance?: number;
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
  /** How many automatic payments were accepted; absent if none. */
  readonly automaticPayments?: number;
}
