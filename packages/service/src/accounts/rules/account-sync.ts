/** Data sync: computes the next record from the stored one and the request. */
import type { Charge, ClientAccount, ManagedAccount } from '../../core/requests.js';
import type { AccountFields } from './account.js';

/** D-2: these are synced; `Note` and custom fields never are. */
const SYNCED = ['Name', 'Balance', 'PhoneNumber', 'DueDate', 'IssueDate', 'Address'] as const;

const SHOWN = ['AccountNumber', 'SubAccountNumber', ...SYNCED, 'Note'] as const;

export interface AccountKey {
  readonly accountNumber: string;
  readonly subAccountNumber: string;
}

/** D-1: keeps only the sent fields, so an absent one is removed. */
export function replaceFields(sent: ClientAccount | ManagedAccount): AccountFields {
  return pick(sent, SYNCED);
}

/** D-2: the fields that a session shows and stores: with `Note`, without custom fields. */
export function shownAccount<A extends ClientAccount | ManagedAccount>(sent: A): A {
  return pick(sent, SHOWN) as A;
}

function pick(sent: ClientAccount | ManagedAccount, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (sent[name] !== undefined) picked[name] = sent[name];
  return picked;
}

/** D-4: writes the fields that are present and keeps the others, also within `Address`. */
export function mergeFields(current: AccountFields, sent: ManagedAccount): AccountFields {
  const fields = { ...current, ...replaceFields(sent) };
  if (sent.Address === undefined) return fields;

  const address = Object.entries(sent.Address).filter(([, value]) => value !== undefined);
  return { ...fields, Address: { ...current.Address, ...Object.fromEntries(address) } };
}

export function accountKey(sent: ClientAccount | ManagedAccount): AccountKey {
  return { accountNumber: sent.AccountNumber, subAccountNumber: sent.SubAccountNumber ?? '' };
}

/**
 * D-3: each account of the charges once, with the fields of its last charge. Always in the same order, so that two
 * requests for the same accounts can't deadlock.
 */
export function accountsOfCharges(charges: readonly Charge[]): { key: AccountKey; fields: AccountFields }[] {
  const accounts = new Map<string, { key: AccountKey; fields: AccountFields }>();
  for (const { ClientAccount: sent } of charges) {
    if (sent === undefined) continue;

    const key = accountKey(sent);
    accounts.set(JSON.stringify([key.accountNumber, key.subAccountNumber]), {
      key,
      fields: replaceFields(sent),
    });
  }
  return [...accounts.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, account]) => account);
}

export type ManagedSync =
  /** An account that is new to the service needs `SyncAccount: true`. */
  { type: 'refuse' } | { type: 'keep' } | { type: 'write'; fields: AccountFields };

/** D-4, for the four account-based management endpoints. */
export function managedSync(
  current: AccountFields | null,
  sent: ManagedAccount,
  syncAccount: boolean | undefined,
): ManagedSync {
  if (syncAccount === true) return { type: 'write', fields: mergeFields(current ?? {}, sent) };
  return current === null ? { type: 'refuse' } : { type: 'keep' };
}
