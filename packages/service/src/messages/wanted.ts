/** Which messages a customer wants, when they are written and again when they are sent. */
import type { StoreTx } from '../core/store.js';
import { DEFAULT_PREFERENCES } from '../preferences/rules.js';
import { PREFERENCE_OF } from './rules.js';
import type { Channel, MessageKind, PayerMessage } from './rules.js';

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

/** False if the customer turned it off since it was written, or what a reminder announces was called off. */
export async function isStillWanted(tx: StoreTx, message: PayerMessage): Promise<boolean> {
  const { customerId, kind, channel, about } = message;
  // Without a customer record, the payer typed the address for this receipt.
  if (customerId === undefined) return true;
  if ((await recipientsOf(tx, customerId, kind))[channel] === undefined) return false;
  if (kind === 'payment-reminder') return (await tx.schedules.get(about))?.status === 'scheduled';
  const [accountId = ''] = about.split(' ');
  return kind !== 'autopay-reminder' || (await tx.autopay.ofAccount(accountId)) !== null;
}
