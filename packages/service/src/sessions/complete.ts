/** Handles Done in a management flow. */
import { ok, refused, type Result } from '../core/result.js';
import { transition, type Session, type SessionStatus } from './rules/session.js';
import type { StoreTx } from '../core/store.js';

/** Marks the session `Completed`. Idempotent. */
export async function completeSession(
  tx: StoreTx,
  session: Session,
  now: number,
): Promise<Result<{ status: SessionStatus }>> {
  const current = (await tx.sessions.get(session.id)) ?? session;
  const [next, effects] = transition(current, { type: 'completed' }, now);
  if (effects.some(({ type }) => type === 'refuse')) {
    return refused('expired', 'This session has expired. What was done in it is kept.');
  }
  if (next.status !== current.status) await tx.sessions.update(next);
  return ok({ status: next.status });
}
