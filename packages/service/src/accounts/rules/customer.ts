/** Customers as decisions (D-6, D-7, E-2, E-3). */
import type { ClientUser, ManageCustomerPayload } from '../../core/requests.js';
import { given } from '../../core/given.js';

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

type Fields = Omit<Customer, 'id' | 'businessUnit'>;

/** The record of a customer that a session request introduces; one that is there already stays as it is (D-7). */
export function introduced(user: ClientUser): Fields {
  return {
    emailAddress: user.EmailAddress.trim(),
    ...given({ firstName: user.FirstName, lastName: user.LastName }),
  };
}

export type CustomerChange =
  | { type: 'refuse'; code: 'customer_not_found' | 'email_in_use' }
  | { type: 'insert'; fields: Fields }
  | { type: 'update'; id: string; fields: Fields };

/** Who is there under the addresses that an `Accounts.ManageCustomer` names. */
export interface CustomersFound {
  /** Under `originalEmailAddress`. */
  readonly original: Customer | null;
  /** Under `emailAddress`. */
  readonly holder: Customer | null;
  /** The account has `holder` among its customers. */
  readonly accountHasHolder: boolean;
}

/** E-2 and E-3: which customer an event creates or changes. */
export function manageCustomer(found: CustomersFound, payload: ManageCustomerPayload): CustomerChange {
  const fields: Fields = {
    emailAddress: payload.emailAddress.trim(),
    firstName: payload.firstName,
    lastName: payload.lastName,
  };
  const { original, holder } = found;
  const moves =
    payload.originalEmailAddress !== undefined &&
    emailKey(payload.originalEmailAddress) !== emailKey(payload.emailAddress);
  if (moves) {
    if (original === null)
      return holder !== null && found.accountHasHolder
        ? { type: 'update', id: holder.id, fields }
        : { type: 'refuse', code: 'customer_not_found' };
    return holder !== null
      ? { type: 'refuse', code: 'email_in_use' }
      : { type: 'update', id: original.id, fields };
  }
  if (holder !== null) return { type: 'update', id: holder.id, fields };
  return payload.originalEmailAddress === undefined
    ? { type: 'insert', fields }
    : { type: 'refuse', code: 'customer_not_found' };
}
