/** Stores a customer's notification preferences. */
import type { WebhookNotifications } from '@embedded-sessions/server-types';
import { announce } from '../webhooks/announce.js';
import type { Occasion } from '../core/occasion.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '../shared/notification.js';
import { checkPreferences, DEFAULT_PREFERENCES, type Preferences } from './rules.js';
import type { Outcome } from '../core/outcome.js';
import type { CustomerSession, Session } from '../sessions/rules/session.js';
import type { StoreTx } from '../core/store.js';
import { given } from '../core/given.js';

type CustomersSession = Session & Pick<CustomerSession, 'customerId'>;

/** Writes the submitted preferences; a no-op if they are unchanged. */
export async function setPreferences(
  tx: StoreTx,
  session: CustomerSession,
  input: Record<string, unknown>,
  occasion: Occasion,
): Promise<Outcome<Preferences>> {
  const checked = checkPreferences(input);
  if (checked.ok) await writePreferences(tx, session, checked.value, occasion);
  return checked;
}

/** Ends e-mails of one kind. */
export async function stopEmails(
  tx: StoreTx,
  session: CustomersSession,
  kind: NotificationKind,
  occasion: Occasion,
): Promise<void> {
  const current = (await tx.notifications.ofCustomer(session.customerId)) ?? DEFAULT_PREFERENCES;
  const kinds = { ...current.kinds, [kind]: { ...current.kinds[kind], email: false } };
  await writePreferences(tx, session, { ...current, kinds }, occasion);
}

async function writePreferences(
  tx: StoreTx,
  session: CustomersSession,
  preferences: Preferences,
  occasion: Occasion,
): Promise<void> {
  const current = await tx.notifications.ofCustomer(session.customerId);
  if (JSON.stringify(current) === JSON.stringify(preferences)) return;
  await tx.notifications.put(session.businessUnit, session.customerId, preferences);
  const { phoneNumber, kinds } = preferences;
  const channels = NOTIFICATION_KINDS.map((kind) => [
    kind,
    { Email: kinds[kind].email, Sms: kinds[kind].sms },
  ]);
  await announce(tx, 'notifications.changed', session, occasion, {
    Notifications: {
      ...given({ PhoneNumber: phoneNumber }),
      Kinds: Object.fromEntries(channels) as WebhookNotifications['Kinds'],
    },
  });
}
