import type { WebhookNotifications } from '@embedded-sessions/server-types';
import { announce } from '../webhooks/announce.js';
import { NOTIFICATION_KINDS, type NotificationKind, type Preferences } from '../shared/page.js';
import { checkPreferences, DEFAULT_PREFERENCES } from './rules.js';
import type { Result } from '../core/result.js';
import type { CustomerSession, Session } from '../sessions/rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { defined } from '../core/defined.js';

type CustomersSession = Session & Pick<CustomerSession, 'customerId'>;

export async function setPreferences(
  tx: StoreTx,
  session: CustomerSession,
  input: Record<string, unknown>,
  context: TxContext,
): Promise<Result<Preferences>> {
  const stored = await tx.notifications.ofCustomer(session.customerId);
  const checked = checkPreferences(input, stored);
  if (checked.ok) await writePreferences(tx, session, checked.value, stored, context);
  return checked;
}

export async function stopEmails(
  tx: StoreTx,
  session: CustomersSession,
  kind: NotificationKind,
  context: TxContext,
): Promise<void> {
  const stored = await tx.notifications.ofCustomer(session.customerId);
  const current = stored ?? DEFAULT_PREFERENCES;
  const kinds = { ...current.kinds, [kind]: { ...current.kinds[kind], email: false } };
  await writePreferences(tx, session, { ...current, kinds }, stored, context);
}

async function writePreferences(
  tx: StoreTx,
  session: CustomersSession,
  preferences: Preferences,
  stored: Preferences | null,
  context: TxContext,
): Promise<void> {
  if (JSON.stringify(stored) === JSON.stringify(preferences)) return;
  await tx.notifications.put(session.businessUnit, session.customerId, preferences);
  const { phoneNumber, kinds } = preferences;
  const channels = NOTIFICATION_KINDS.map((kind) => [
    kind,
    { Email: kinds[kind].email, Sms: kinds[kind].sms },
  ]);
  await announce(tx, 'notifications.changed', session, context, {
    Notifications: {
      ...defined({ PhoneNumber: phoneNumber }),
      Kinds: Object.fromEntries(channels) as WebhookNotifications['Kinds'],
    },
  });
}
