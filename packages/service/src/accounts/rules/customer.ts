/** Decides how requests and events change customers (D-6, D-7, E-2, E-3). */
import { isBlank } from '@embedded-sessions/server-types/schemas';
import type { ClientUser, ManageCustomerPayload } from '../../core/requests.js';
import type { Language } from '../../shared/languages.js';
import { defined } from '../../core/defined.js';

export interface Customer {
  readonly id: string;
  readonly businessUnit: string;
  /** As in the first request, or the last `Accounts.ManageCustomer`. */
  readonly emailAddress: string;
  readonly firstName?: string;
  readonly lastName?: string;
  /** Language of the last page that the customer used, for messages. */
  readonly language?: Language;
}

/**
 * Normalizes an address for comparison (D-6). Folds only A to Z: `toLowerCase` would also turn the Kelvin sign (U+212A)
 * into `k` and open another customer's wallet.
 */
export function emailKey(emailAddress: string): string {
  return emailAddress.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

type Fields = Omit<Customer, 'id' | 'businessUnit'>;

export function newCustomer(user: ClientUser): Fields {
  return { emailAddress: user.EmailAddress.trim(), ...namesOf(user) };
}

/** D-7: fills in missing names. Returns null if the request adds none. */
export function fillNames(customer: Customer, user: ClientUser): Customer | null {
  const names = namesOf(user);
  const firstName = customer.firstName ?? names.firstName;
  const lastName = customer.lastName ?? names.lastName;
  if (firstName === customer.firstName && lastName === customer.lastName) return null;

  return { ...customer, ...defined({ firstName, lastName }) };
}

/** A blank name counts as missing. */
function namesOf({ FirstName, LastName }: ClientUser): Pick<Customer, 'firstName' | 'lastName'> {
  const nameOf = (text = '') => (isBlank(text) ? undefined : text);
  return defined({ firstName: nameOf(FirstName), lastName: nameOf(LastName) });
}

/** E-2: an event names the account after the customer. A business has no last name. */
export function accountName({ firstName, lastName }: ManageCustomerPayload): string {
  return `${firstName.trim()} ${lastName.trim()}`.trim();
}

export type CustomerChange =
  | { type: 'refuse'; code: 'customer_not_found' | 'email_in_use' }
  | { type: 'insert'; fields: Fields }
  /** `move`: to another address. */
  | { type: 'update' | 'move'; customer: Customer };

/** Existing customers with the addresses in an `Accounts.ManageCustomer`. */
export interface CustomersFound {
  readonly original: Customer | null;
  /** The customer with `emailAddress`. */
  readonly holder: Customer | null;
  /** Whether `holder` is associated with the account. */
  readonly accountHasHolder: boolean;
}

/** E-2, E-3: decides which customer an event creates or changes. */
export function manageCustomer(found: CustomersFound, payload: ManageCustomerPayload): CustomerChange {
  const fields: Fields = {
    emailAddress: payload.emailAddress.trim(),
    firstName: payload.firstName,
    lastName: payload.lastName,
  };
  const { original, holder } = found;
  const isMove =
    payload.originalEmailAddress !== undefined &&
    emailKey(payload.originalEmailAddress) !== emailKey(payload.emailAddress);
  if (isMove) {
    if (original === null)
      return holder !== null && found.accountHasHolder
        ? { type: 'update', customer: { ...holder, ...fields } }
        : { type: 'refuse', code: 'customer_not_found' };
    return holder !== null
      ? { type: 'refuse', code: 'email_in_use' }
      : { type: 'move', customer: { ...original, ...fields } };
  }
  if (holder !== null) return { type: 'update', customer: { ...holder, ...fields } };
  return payload.originalEmailAddress === undefined
    ? { type: 'insert', fields }
    : { type: 'refuse', code: 'customer_not_found' };
}
