/** What the service keeps of a `ClientAccount` (D-1, D-2): never `Note`, never custom fields. */
export interface AccountFields {
  Name?: string;
  /** Cents. */
  Balance?: number;
  PhoneNumber?: string;
  /** ISO 8601 date. */
  DueDate?: string;
  /** ISO 8601 date. */
  IssueDate?: string;
  Address?: {
    StreetAddress?: string;
    StreetAddress2?: string;
    City?: string;
    State?: string;
    ZipCode?: string;
  };
}

export interface Account {
  readonly id: string;
  readonly businessUnit: string;
  readonly accountNumber: string;
  /** Empty where none was given. */
  readonly subAccountNumber: string;
  readonly fields: AccountFields;
}

export interface Customer {
  readonly id: string;
  readonly businessUnit: string;
  /** As first seen, or as an `Accounts.ManageCustomer` has written it since. */
  readonly emailAddress: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/** The form in which addresses are compared (D-6). */
export function emailKey(emailAddress: string): string {
  return emailAddress.trim().toLowerCase();
}
