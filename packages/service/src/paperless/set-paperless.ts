import { announce } from '../webhooks/announce.js';
import type { AccountSession } from '../sessions/rules/session.js';
import { ok, invalid, type Result } from '../core/result.js';
import type { StoreTx, TxContext } from '../core/store.js';

export async function setPaperless(
  tx: StoreTx,
  session: AccountSession,
  input: Record<string, unknown>,
  context: TxContext,
): Promise<Result<{ enrolled: boolean }>> {
  const { enrolled } = input;
  if (typeof enrolled !== 'boolean')
    return invalid({ field: 'enrolled', message: 'Choose whether bills come by e-mail.' });

  const { accountId, customerId, businessUnit } = session;
  const current = await tx.paperless.find(accountId, customerId);
  if ((current !== null) === enrolled) return ok({ enrolled });
  if (enrolled) await tx.paperless.insert({ businessUnit, accountId, customerId, enrolledAt: context.now });
  else await tx.paperless.remove(accountId, customerId);
  await announce(tx, 'paperless.changed', session, context, {
    accountId,
    Paperless: { Enrolled: enrolled },
  });
  return ok({ enrolled });
}
