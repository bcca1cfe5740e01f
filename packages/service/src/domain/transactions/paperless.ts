/** Paperless billing: enroll and leave. */
import { announce } from '../announce.js';
import type { Occasion } from '../announce.js';
import type { AccountSession } from '../session.js';
import type { StoreTx } from '../store.js';

/** Brings the enrollment to what the payer wishes; a wish that is fulfilled already changes nothing. */
export async function setPaperless(
  tx: StoreTx,
  session: AccountSession,
  enrolled: boolean,
  occasion: Occasion,
): Promise<void> {
  const { accountId, customerId, businessUnit } = session;
  const current = await tx.paperless.find(accountId, customerId);
  if ((current !== null) === enrolled) return;
  if (enrolled) await tx.paperless.insert({ businessUnit, accountId, customerId, enrolledAt: occasion.now });
  else await tx.paperless.remove(accountId, customerId);
  await announce(tx, 'paperless.changed', session, occasion, {
    accountId,
    Paperless: { Enrolled: enrolled },
  });
}
