/**
 * The end of a list page as an opaque cursor. Payments are listed by start time, but may commit after one that
 * started later. So the position of the last payment isn't enough: for the newest payments the cursor also holds
 * which ones were returned.
 */
import type { Attempt, AttemptFilter, Attempts } from './attempt.js';
import { isId } from '../../core/page-ids.js';
import { defined } from '../../core/defined.js';

interface Place {
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly id: string;
}

export interface Cursor {
  /** Everything up to here was returned, and nothing can still appear before it. */
  readonly after?: Place;
  /** Suffixes of the ids returned after it. */
  readonly listed: readonly string[];
}

export interface Page {
  readonly attempts: readonly Attempt[];
  /** Absent on the last page. */
  readonly next?: Cursor;
}

/** How long after its start a payment may still appear, ms: database wait plus clock skew. */
const LATE_MS = 30_000;
/** Maximum ids in a cursor. */
const MAX_LISTED = 1_000;

/** The next page of payments that were not returned yet, oldest first. */
export async function nextPage(
  attempts: Pick<Attempts, 'page'>,
  { limit, ...filter }: Omit<AttemptFilter, 'after'>,
  { after, listed }: Cursor,
  now: number,
): Promise<Page> {
  const known = new Set(listed);
  const found = await attempts.page({
    ...filter,
    ...defined({ after }),
    limit: limit + 1 + known.size,
  });
  const fresh = found.filter(({ id }) => !known.has(endOf(id)));
  const page = fresh.slice(0, limit);
  const last = page.at(-1);
  if (fresh.length <= limit || last === undefined) return { attempts: page };

  const nowListed = [...listed, ...page.map(({ id }) => endOf(id))];
  const upToLast = found.slice(0, found.indexOf(last) + 1);
  const young = upToLast.findIndex(({ createdAt }) => createdAt > now - LATE_MS);
  const old = young === -1 ? upToLast.length : young;
  const tooMany = nowListed.length - MAX_LISTED;
  const settled = upToLast.slice(0, old > tooMany ? old : tooMany);
  const end = settled.at(-1) ?? after;
  const ends = new Set(settled.map(({ id }) => endOf(id)));
  return {
    attempts: page,
    next: {
      ...(end === undefined ? {} : { after: { createdAt: end.createdAt, id: end.id } }),
      listed: nowListed.filter((one) => !ends.has(one)),
    },
  };
}

/** Enough of an id to distinguish it from its neighbors. */
function endOf(id: string): string {
  return id.slice(-10);
}

export function writeCursor({ after, listed }: Cursor): string {
  return [after === undefined ? '' : `${after.createdAt.toString(36)}.${after.id}`, ...listed].join('~');
}

/** Null for a cursor that {@link writeCursor} did not create. */
export function readCursor(cursor: string): Cursor | null {
  const [place = '', ...listed] = cursor.split('~');
  if (listed.length > MAX_LISTED || !listed.every(isId)) return null;
  if (place === '') return listed.length === 0 ? null : { listed };

  const [, time = '', id] = /^([0-9a-z]{1,11})\.(.+)$/.exec(place) ?? [];
  const createdAt = Number.parseInt(time, 36);
  return isId(id) && Number.isSafeInteger(createdAt) ? { after: { createdAt, id }, listed } : null;
}
