/** Paperless billing: enroll and unenroll. */
import { announce } from '../webhooks/announce.js';
import type { Occasion } from '../core/occasion.js';
import type { AccountSession } from '../sessions/rules/session.js';
import { done, invalid, type Outcome } from '../core/outcome.js';
import type { StoreTx } from '../core/store.js';

/** Enrolls or unenrolls; a no-op if nothing changes. */
export async function setPaperless(
  tx: StoreTx,
  session: AccountSession,
  input: Record<string, unknown>,
  occasion: Occasion,
): Promise<Outcome<{ enrolled: boolean }>> {
  const { enrolled } = input;
  if (typeof enrolled !== 'boolean')
    return invalid({ field: 'enrolled', message: 'Choose whether bills come by e-mail.' });

  const { accountId, customerId, businessUnit } = session;
  const current = await tx.paperless.find(accountId, customerId);
  if ((current !== null) === enrolled) return done({ enrolled });
  if (enrolled) await tx.paperless.insert({ businessUnit, accountId, customerId, enrolledAt: occasion.now });
  else await tx.paperless.remove(accountId, customerId);
  await announce(tx, 'paperless.changed', session, occasion, {
    accountId,
    Paperless: { Enrolled: enrolled },
  });
  return done({ enrolled });
}
