/**
 * The end of a list page as an opaque cursor. Payments are listed by start time, but may commit after payments that
 * started later. So a position isn't enough: the cursor also lists which of the newest payments were returned.
 */
import type { AttemptFilter, AttemptPosition, Attempts } from './attempt.js';
import { isId } from '../../core/page-ids.js';
import { defined } from '../../core/defined.js';

export interface Cursor {
  /** Everything up to this position was returned, and nothing can appear before it. */
  readonly after?: AttemptPosition;
  /** Suffixes of the ids returned after this position. */
  readonly listed: readonly string[];
}

export interface Page {
  readonly positions: readonly AttemptPosition[];
  /** Absent on the last page. */
  readonly next?: Cursor;
}

/** A payment may commit this long after its start, ms: database wait plus clock skew. */
const MAX_COMMIT_DELAY_MS = 30_000;
const MAX_LISTED = 1_000;
const SUFFIX_LENGTH = 10;
/** Characters of a cursor: its position, with room, and the listed suffixes. */
const MAX_CURSOR = 1_000 + MAX_LISTED * (SUFFIX_LENGTH + 1);

/** Reads the next page of payments, oldest first. */
export async function nextPage(
  attempts: Pick<Attempts, 'positions'>,
  { limit, ...filter }: Omit<AttemptFilter, 'after'>,
  { after, listed }: Cursor,
  now: number,
): Promise<Page> {
  const listedIds = new Set(listed);
  const found = await attempts.positions({
    ...filter,
    ...defined({ after }),
    limit: limit + 1 + listedIds.size,
  });
  const unlisted = found.filter(({ id }) => !listedIds.has(idSuffix(id)));
  const page = unlisted.slice(0, limit);
  const last = page.at(-1);
  if (unlisted.length <= limit || last === undefined) return { positions: page };

  const allListed = [...listed, ...page.map(({ id }) => idSuffix(id))];
  const throughLast = found.slice(0, found.indexOf(last) + 1);
  const firstRecent = throughLast.findIndex(({ createdAt }) => createdAt > now - MAX_COMMIT_DELAY_MS);
  const settledCount = firstRecent === -1 ? throughLast.length : firstRecent;
  const excess = allListed.length - MAX_LISTED;
  const settled = throughLast.slice(0, Math.max(settledCount, excess));
  const end = settled.at(-1) ?? after;
  const ends = new Set(settled.map(({ id }) => idSuffix(id)));
  return {
    positions: page,
    next: {
      ...(end === undefined ? {} : { after: { createdAt: end.createdAt, id: end.id } }),
      listed: allListed.filter((one) => !ends.has(one)),
    },
  };
}

/** Long enough to distinguish an id from its neighbors. */
function idSuffix(id: string): string {
  return id.slice(-SUFFIX_LENGTH);
}

export function writeCursor({ after, listed }: Cursor): string {
  return [after === undefined ? '' : `${after.createdAt.toString(36)}.${after.id}`, ...listed].join('~');
}

/** The number of payments that a cursor lists. 0 if {@link readCursor} refuses it for its length. */
export function countListed(cursor: string): number {
  return cursor.length > MAX_CURSOR ? 0 : cursor.split('~').length - 1;
}

/** Parses a cursor; null if {@link writeCursor} didn't create it. */
export function readCursor(cursor: string): Cursor | null {
  if (cursor.length > MAX_CURSOR) return null;

  const [position = '', ...listed] = cursor.split('~');
  if (listed.length > MAX_LISTED || !listed.every(isId)) return null;
  if (position === '') return listed.length === 0 ? null : { listed };

  const [, time = '', id] = /^([0-9a-z]{1,11})\.(.+)$/.exec(position) ?? [];
  const createdAt = Number.parseInt(time, 36);
  return isId(id) && Number.isSafeInteger(createdAt) ? { after: { createdAt, id }, listed } : null;
}
