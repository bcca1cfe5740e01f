/** Which messages a customer wants, when they are written and again when they are sent. */
import type { StoreTx } from '../core/store.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import { PREFERENCE_OF, type Channel, type MessageKind, type PayerMessage } from './rules.js';

/** Where a customer wants messages of a kind: an e-mail address or a phone number by channel. */
export async function recipientsOf(
  tx: StoreTx,
  customerId: string,
  kind: MessageKind,
): Promise<Readonly<Partial<Record<Channel, string>>>> {
  const customer = await tx.customers.get(customerId);
  const { kinds, phoneNumber } = (await tx.notifications.ofCustomer(customerId)) ?? DEFAULT_PREFERENCES;
  const wanted = kinds[PREFERENCE_OF[kind]];
  return {
    ...(wanted.email && customer?.emailAddress ? { email: customer.emailAddress } : {}),
    ...(wanted.sms && phoneNumber !== undefined ? { sms: phoneNumber } : {}),
  };
}

/** Where a message goes now: undefined if the customer turned it off since it was written, or has no such address anymore. */
export async function recipientOf(
  tx: StoreTx,
  { customerId, kind, channel, recipient }: PayerMessage,
): Promise<string | undefined> {
  // Without a customer record, the payer typed the address for this receipt.
  return customerId === undefined ? recipient : (await recipientsOf(tx, customerId, kind))[channel];
}
