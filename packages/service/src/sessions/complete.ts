/** Handles Done in a management flow. */
import { transition, type Session, type SessionStatus } from './rules/session.js';
import type { StoreTx } from '../core/store.js';

/** Marks a session that has not ended `Completed`. Idempotent. Resolves to the status. */
export async function completeSession(tx: StoreTx, session: Session, now: number): Promise<SessionStatus> {
  const [next] = transition(session, { type: 'completed' }, now);
  if (next !== session) await tx.sessions.update(next);
  return next.status;
}
