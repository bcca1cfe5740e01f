/** Stores a customer's notification preferences. */
import { announce } from '../webhooks/announce.js';
import type { Occasion } from '../core/occasion.js';
import type { NotificationKind } from '../shared/notification.js';
import { checkPreferences, type Preferences } from './rules.js';
import type { Outcome } from '../core/outcome.js';
import type { CustomerSession } from '../sessions/rules/session.js';
import type { StoreTx } from '../core/store.js';
import { given } from '../core/given.js';

/** Writes the submitted preferences; a no-op if they are unchanged. */
export async function setPreferences(
  tx: StoreTx,
  session: CustomerSession,
  input: Record<string, unknown>,
  occasion: Occasion,
): Promise<Outcome<Preferences>> {
  const checked = checkPreferences(input);
  if (!checked.ok) return checked;

  const preferences = checked.value;
  const current = await tx.notifications.ofCustomer(session.customerId);
  if (JSON.stringify(current) === JSON.stringify(preferences)) return checked;

  await tx.notifications.put(session.businessUnit, session.customerId, preferences);
  const { phoneNumber, kinds } = preferences;
  const channels = (kind: NotificationKind): { Email: boolean; Sms: boolean } => ({
    Email: kinds[kind].email,
    Sms: kinds[kind].sms,
  });
  await announce(tx, 'notifications.changed', session, occasion, {
    Notifications: {
      ...given({ PhoneNumber: phoneNumber }),
      Kinds: {
        'payment-confirmation': channels('payment-confirmation'),
        'payment-reminder': channels('payment-reminder'),
        'bill-ready': channels('bill-ready'),
        autopay: channels('autopay'),
      },
    },
  });
  return checked;
}
