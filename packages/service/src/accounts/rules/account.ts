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

export type Bill = Pick<AccountFields, 'Balance' | 'DueDate'>;

export interface Account {
  readonly id: string;
  readonly businessUnit: string;
  readonly accountNumber: string;
  /** Empty if the request omitted it. */
  readonly subAccountNumber: string;
  readonly fields: AccountFields;
  /** When the last balance and due date were first synced, ms since the epoch; absent if that was before release 0.4. */
  readonly billedAt?: number;
  /** The last balance or due date, if later syncs left them out, which says nothing about the bill. */
  readonly omittedBill?: Bill;
}
