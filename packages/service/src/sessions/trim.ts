/** Removes data that old payment sessions no longer need (decision 0045). */
import type { StoreTx } from '../core/store.js';
import { REQUEST_KEPT_MS, trimmedRequest } from './rules/trimmed-request.js';

/** Name of the id up to which sessions are trimmed. Release 0.3 has another one, and forgot no payers. */
const TRIMMED = 'sessions-trimmed-2';

/** Of the requests in one transaction, because SQLite reads and writes them on the event loop. */
const MAX_BYTES = 2 ** 20;

const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Expired', 'Canceled']);

/**
 * Continues with the oldest sessions that have not been trimmed. Ids sort by time, so this needs no index of its own.
 * @param now ms since the epoch
 * @returns the number of sessions: none if the others are too recent
 */
export async function trimSessions(tx: StoreTx, now: number, limit: number): Promise<number> {
  const found = await tx.sessions.stored((await tx.meta.get(TRIMMED)) ?? '', limit);
  let total = 0;
  const end = found.findIndex(({ createdAt, bytes }, place) => {
    total += bytes;
    return createdAt > now - REQUEST_KEPT_MS || (place > 0 && total > MAX_BYTES);
  });
  const old = end === -1 ? found : found.slice(0, end);
  const last = old.at(-1);
  if (last === undefined) return 0;

  const finished = old.filter(({ flow, status }) => flow === 'payment' && FINISHED.has(status));
  for (const { id } of finished) {
    const request = await tx.sessions.requestOf(id);
    const trimmed = trimmedRequest(request);
    if (trimmed !== null && trimmed !== request) await tx.sessions.replaceRequest(id, trimmed);
  }
  await tx.attempts.forgetPaid(finished.map(({ id }) => id));
  const ids = old.map(({ id }) => id);
  await tx.attempts.forgetOlder(ids, now);
  await tx.methods.forgetOlder(ids, now);
  await tx.meta.set(TRIMMED, last.id);
  return old.length;
}
