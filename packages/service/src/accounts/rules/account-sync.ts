/** Data sync: computes the next record from the stored record and the request. */
import type { Charge, ClientAccount, ManagedAccount } from '../../core/requests.js';
import type { AccountFields } from './account.js';

/** D-2: `Note` and custom fields are never synced. */
const SYNCED_FIELDS = ['Name', 'Balance', 'PhoneNumber', 'DueDate', 'IssueDate', 'Address'] as const;

const SESSION_FIELDS = ['AccountNumber', 'SubAccountNumber', ...SYNCED_FIELDS, 'Note'] as const;

export interface AccountKey {
  readonly accountNumber: string;
  readonly subAccountNumber: string;
}

/** D-1: removes fields that the request omits. */
export function replaceFields(requested: ClientAccount | ManagedAccount): AccountFields {
  return pick(requested, SYNCED_FIELDS);
}

/** D-2: the account as a session stores and shows it: with `Note`, without custom fields. */
export function sessionAccount<A extends ClientAccount | ManagedAccount>(requested: A): A {
  return pick(requested, SESSION_FIELDS) as A;
}

function pick(requested: ClientAccount | ManagedAccount, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (requested[name] !== undefined) picked[name] = requested[name];
  return picked;
}

/** D-4: overwrites the fields that are present and keeps the others, also within `Address`. */
export function mergeFields(current: AccountFields, requested: ManagedAccount): AccountFields {
  const fields = { ...current, ...replaceFields(requested) };
  if (requested.Address === undefined) return fields;

  const address = Object.entries(requested.Address).filter(([, value]) => value !== undefined);
  return { ...fields, Address: { ...current.Address, ...Object.fromEntries(address) } };
}

export function accountKey(requested: ClientAccount | ManagedAccount): AccountKey {
  return { accountNumber: requested.AccountNumber, subAccountNumber: requested.SubAccountNumber ?? '' };
}

/** Identifies an account among those of a business unit, in a map for example. */
export function accountText({ accountNumber, subAccountNumber }: AccountKey): string {
  return JSON.stringify([accountNumber, subAccountNumber]);
}

/** `1001-02`: the number and sub-account number, as the pages show them. */
export function fullNumber({ accountNumber, subAccountNumber }: AccountKey): string {
  return subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`;
}

interface ChargedAccount {
  readonly key: AccountKey;
  readonly fields: AccountFields;
}

/** The order in which all transactions lock accounts, so that they can't deadlock. */
export function byAccount(one: AccountKey, other: AccountKey): number {
  return accountText(one) < accountText(other) ? -1 : 1;
}

/** D-3: returns each account once, with the fields of its last charge, sorted by account. */
export function accountsOfCharges(charges: readonly Charge[]): ChargedAccount[] {
  const accounts = new Map<string, ChargedAccount>();
  for (const { ClientAccount: requested } of charges) {
    if (requested === undefined) continue;

    const key = accountKey(requested);
    accounts.set(accountText(key), { key, fields: replaceFields(requested) });
  }
  return [...accounts.values()].sort((one, other) => byAccount(one.key, other.key));
}
