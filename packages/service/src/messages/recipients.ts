/** Finds recipients by the customer's preferences, when writing a message and again when sending it. */
import type { StoreTx, Store } from '../core/store.js';
import { emailKey } from '../accounts/rules/customer.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import { PREFERENCE_OF, type Channel, type MessageKind, type PayerMessage } from './rules.js';
import { domainToASCII } from 'node:url';
import type { Language } from '../shared/languages.js';

/** A customer's e-mail address and phone number, by channel, if they want this kind of message. */
export async function recipientsOf(
  tx: StoreTx,
  customerId: string,
  kind: MessageKind,
): Promise<Readonly<Record<Channel, string | undefined>>> {
  const customer = await tx.customers.get(customerId);
  const { kinds, phoneNumber } = (await tx.notifications.ofCustomer(customerId)) ?? DEFAULT_PREFERENCES;
  const wanted = kinds[PREFERENCE_OF[kind]];
  return {
    email: (wanted.email && customer?.emailAddress) || undefined,
    sms: wanted.sms ? phoneNumber : undefined,
  };
}

/** A message's current recipient; undefined if the customer has since turned it off or no longer has an address. */
export async function recipientOf(
  tx: StoreTx,
  { customerId, kind, channel, recipient }: PayerMessage,
): Promise<string | undefined> {
  // A payer without a customer record typed the address for this receipt.
  if (customerId === undefined) return recipient;

  const current = (await recipientsOf(tx, customerId, kind))[channel];
  // Texts are limited per number, and this one was counted for the earlier number.
  return channel === 'sms' && current !== recipient ? undefined : current;
}

/** Splits an address. Mail servers get the domain in ASCII. */
function partsOf(address: string): readonly [name: string, domain: string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, at), domainToASCII(address.slice(at + 1))];
}

/** Normalizes only what all mail servers ignore. */
export function deliveredTo(address: string): string {
  return emailKey(partsOf(address).join('@'));
}

/**
 * Normalizes an address, so that all spellings that reach the same mailbox are counted and erased together. Most mail
 * servers ignore case and anything after a plus sign.
 */
export function mailboxOf(address: string): string {
  const [name, domain] = partsOf(address);
  const mailbox = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=.)\+.*/, '');
  return `${mailbox}@${domain}`;
}

export async function rememberLanguage(store: Store, customerId: string, language: Language): Promise<void> {
  const current = await store.read((tx) => tx.customers.get(customerId));
  if (current?.language === language) return;
  await store.transaction(
    async (tx) => {
      const customer = await tx.customers.get(customerId);
      // An erased customer has no address and must not change.
      if (customer && customer.emailAddress !== '') await tx.customers.update({ ...customer, language });
    },
    { repeatable: true },
  );
}
