/** Notification preferences: what a customer chose. */
import { announce } from '../announce.js';
import type { Occasion } from '../announce.js';
import type { Preferences } from '../notifications.js';
import type { CustomerSession } from '../session.js';
import type { StoreTx } from '../store.js';

/** Writes the preferences; the same ones again change nothing. */
export async function setPreferences(
  tx: StoreTx,
  session: CustomerSession,
  preferences: Preferences,
  occasion: Occasion,
): Promise<void> {
  const current = await tx.notifications.ofCustomer(session.customerId);
  if (JSON.stringify(current) === JSON.stringify(preferences)) return;
  await tx.notifications.put(session.businessUnit, session.customerId, preferences);
  await announce(tx, 'notifications.changed', session, occasion);
}
