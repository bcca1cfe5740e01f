/** A merchant's customers, and how requests change them (D-6, D-7). */
import { isBlank } from '@embedded-sessions/server-types/schemas';
import type { ClientUser } from '../../core/requests.js';
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

export function newCustomer(user: ClientUser): Omit<Customer, 'id' | 'businessUnit'> {
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

function namesOf({ FirstName, LastName }: ClientUser): Pick<Customer, 'firstName' | 'lastName'> {
  const nameOf = (text = '') => (isBlank(text) ? undefined : text);
  return defined({ firstName: nameOf(FirstName), lastName: nameOf(LastName) });
}
