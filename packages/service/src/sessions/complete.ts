/** The payer pressed Done in a management flow. */
import { done, refused, type Outcome } from '../core/outcome.js';
import { transition, type Session, type SessionStatus } from './rules/session.js';
import type { StoreTx } from '../core/store.js';

/** Marks the session `Completed`; doing it again is a no-op. */
export async function completeSession(
  tx: StoreTx,
  session: Session,
  now: number,
): Promise<Outcome<{ status: SessionStatus }>> {
  const current = (await tx.sessions.get(session.id)) ?? session;
  const [next, effects] = transition(current, { type: 'completed' }, now);
  if (effects.some(({ type }) => type === 'refuse')) {
    return refused('expired', 'This session has expired. What was done in it is kept.');
  }
  if (next.status !== current.status) await tx.sessions.update(next);
  return done({ status: next.status });
}
