/** Which fields of requests and messages identify a person. */
import type { Charge } from '../../core/requests.js';
import { accountKey, type AccountKey } from './account-sync.js';

const PERSONAL: ReadonlySet<string> = new Set([
  'ClientUser',
  'Customer',
  'EmailAddress',
  'FirstName',
  'LastName',
  'Name',
  'PhoneNumber',
  'Address',
  'Note',
  'Holder',
  'CustomMeta',
  'PaymentFields',
  'SuccessUrl',
  'ReturnUrl',
]);

/** Account fields that the books need. All others, including the merchant's own, may identify a person. */
const KEPT_OF_ACCOUNT: ReadonlySet<string> = new Set(['AccountNumber', 'SubAccountNumber']);

/** The value without the fields that identify a person, at any depth. */
export function withoutPerson(value: unknown, isAccount = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPerson(item));
  if (typeof value !== 'object' || value === null) return value;

  const kept = Object.entries(value).filter(([key]) =>
    isAccount ? KEPT_OF_ACCOUNT.has(key) : !PERSONAL.has(key),
  );
  return Object.fromEntries(
    kept.map(([key, item]) => [key, withoutPerson(item, key === 'ClientAccount' || key === 'Account')]),
  );
}

/** Whether a charge of the payment request is for the account. */
export function namesAccount(request: unknown, { accountNumber, subAccountNumber }: AccountKey): boolean {
  const { Charges = [] } = request as { Charges?: readonly Charge[] };
  return Charges.some(({ ClientAccount }) => {
    const key = ClientAccount && accountKey(ClientAccount);
    return key?.accountNumber === accountNumber && key.subAccountNumber === subAccountNumber;
  });
}

/** The customer's e-mail address in a webhook message; empty without one. */
export function addressIn(message: unknown): string {
  const { data } = message as { data?: { Customer?: { EmailAddress?: string } } };
  return data?.Customer?.EmailAddress ?? '';
}

/** Rows that were erased or changed, by table. */
export type Erased = Readonly<Record<string, number>>;

export interface Erasing {
  /**
   * Erases the customer with this e-mail address. Resolves to null if there is none, and to `in_flight`, without writing, while
   * the outcome of one of the customer's payments is unknown.
   * @param now ms since the epoch
   */
  erase(businessUnit: string, emailAddress: string, now: number): Promise<Erased | 'in_flight' | null>;
}
