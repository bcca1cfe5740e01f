/** The fields of requests and messages that identify a person. */
import { isOwnReason } from '../../payments/rules/attempt.js';
import { isReasonCode } from '../../processor/rules/response.js';

const PERSONAL_FIELDS: ReadonlySet<string> = new Set([
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

/** Account fields that accounting needs. All others, including custom fields, may identify a person. */
export const ACCOUNT_NUMBER_FIELDS: ReadonlySet<string> = new Set(['AccountNumber', 'SubAccountNumber']);

/** Whether a reason is a code, or one that the service gives itself. Other texts may name the payer. */
function namesNobody(reason: string): boolean {
  return isReasonCode(reason) || isOwnReason(reason);
}

export function removeReasonText(reason: string | null): string | null {
  return reason !== null && namesNobody(reason) ? reason : null;
}

export function removePersonalData(value: unknown, isAccount = false): unknown {
  if (Array.isArray(value)) return value.map((item) => removePersonalData(item));
  if (typeof value !== 'object' || value === null) return value;

  const remaining = Object.entries(value).filter(([key, item]) =>
    isAccount
      ? ACCOUNT_NUMBER_FIELDS.has(key)
      : !PERSONAL_FIELDS.has(key) && (key !== 'Reason' || (typeof item === 'string' && namesNobody(item))),
  );
  return Object.fromEntries(
    remaining.map(([key, item]) => [
      key,
      removePersonalData(item, key === 'ClientAccount' || key === 'Account'),
    ]),
  );
}

/** Rows that were erased or changed, by table. */
export type Erased = Readonly<Record<string, number>>;

/** Gives `eraseCustomer` the tables that a transaction works on. */
export interface Erasing {
  run<T>(step: (tables: never) => Promise<T>): Promise<T>;
}
