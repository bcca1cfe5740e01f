/** Closes the link of a session that has not been paid: `POST /integrations/embedded/cancel`. */
import type { BackOfficeResponses } from '@embedded-sessions/server-types';
import { backOfficeCall } from '../api/back-office.js';
import type { Endpoint } from '../api/endpoint.js';
import type { BackOfficeRequests } from '../core/requests.js';
import type { Deps } from '../deps.js';
import { ServiceError, unknownIdentifier } from '../core/error.js';
import { transition, type Refusal } from './rules/session.js';
import type { StoreTx, TxContext } from '../core/store.js';
import { announce } from '../webhooks/announce.js';

export function cancelEndpoint({ newId }: Pick<Deps, 'newId'>): Endpoint<BackOfficeRequests['cancel'], null> {
  return {
    ...backOfficeCall('cancel'),
    idempotent: true,

    act: async (tx, { PaymentSessionIdentifier }, { unit, now }) => {
      await cancelSession(tx, unit.slug, PaymentSessionIdentifier, { now: await now, newId });
      return null;
    },

    respond: (): BackOfficeResponses['cancel'] => ({ Status: 'Canceled' }),
  };
}

/**
 * Idempotent. A concurrent payment conflicts on the session's row, and one of the two transactions is retried.
 * @throws ServiceError `not_found` or `not_cancelable`
 */
export async function cancelSession(
  tx: StoreTx,
  businessUnit: string,
  sessionId: string,
  context: TxContext,
): Promise<void> {
  const session = await tx.sessions.get(sessionId);
  if (session?.businessUnit !== businessUnit) throw unknownIdentifier('session');

  const next = transition(session, 'canceled', context.now);
  if (typeof next === 'string')
    throw new ServiceError('not_cancelable', REFUSAL_MESSAGES[next], { field: 'PaymentSessionIdentifier' });
  if (next === session) return;

  await tx.sessions.update(next);
  await announce(tx, 'session.canceled', next, context, {});
}

const REFUSAL_MESSAGES: Readonly<Record<Refusal, string>> = {
  expired: 'This session has expired: its link no longer works.',
  canceled: 'This session was already canceled.',
  'in-flight':
    'A payment for this session is being processed: wait for its result, and refund it if necessary.',
  'already-paid': 'This session has been paid: refund the payment instead.',
  failed: 'The payment for this session was returned: there is nothing to cancel.',
  'too-many-attempts': 'This session accepts no more payments.',
  'not-now': 'This session cannot be canceled.',
};
