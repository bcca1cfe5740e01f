/** Finds recipients by the customer's preferences, when writing a message and again when sending it. */
import type { StoreTx } from '../core/store.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import { PREFERENCE_OF, type Channel, type MessageKind, type PayerMessage } from './rules.js';

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
  return customerId === undefined ? recipient : (await recipientsOf(tx, customerId, kind))[channel];
}
