/**
 * Where a page of a list ends, in a text that means nothing to callers. A payment is told by when it began, and may be
 * committed after one that began later, so the place of the last one told is not enough: of the newest the cursor holds
 * which ones were told.
 */
import type { Attempt, AttemptFilter, Attempts } from './attempt.js';
import { isId } from '../../core/page-ids.js';
import { given } from '../../core/given.js';

interface Place {
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly id: string;
}

export interface Cursor {
  /** Up to here all were told, and no other turns up any more. */
  readonly after?: Place;
  /** The ends of the ids that were told after it. */
  readonly told: readonly string[];
}

export interface Page {
  readonly attempts: readonly Attempt[];
  /** Absent on the last. */
  readonly next?: Cursor;
}

/** How much later than it began a payment may still turn up, ms: what a request waits for the database, and clocks that differ. */
const LATE_MS = 30_000;
/** Of so many at most it is known that they were told. */
const MAX_TOLD = 1_000;

/** One page, oldest first, of those that were not told yet. */
export async function nextPage(
  attempts: Pick<Attempts, 'page'>,
  { limit, ...filter }: Omit<AttemptFilter, 'after'>,
  { after, told }: Cursor,
  now: number,
): Promise<Page> {
  const known = new Set(told);
  const found = await attempts.page({
    ...filter,
    ...given({ after }),
    limit: limit + 1 + known.size,
  });
  const fresh = found.filter(({ id }) => !known.has(endOf(id)));
  const page = fresh.slice(0, limit);
  const last = page.at(-1);
  if (fresh.length <= limit || last === undefined) return { attempts: page };

  const toldNow = [...told, ...page.map(({ id }) => endOf(id))];
  const upToLast = found.slice(0, found.indexOf(last) + 1);
  const young = upToLast.findIndex(({ createdAt }) => createdAt > now - LATE_MS);
  const old = young === -1 ? upToLast.length : young;
  const tooMany = toldNow.length - MAX_TOLD;
  const settled = upToLast.slice(0, old > tooMany ? old : tooMany);
  const end = settled.at(-1) ?? after;
  const ends = new Set(settled.map(({ id }) => endOf(id)));
  return {
    attempts: page,
    next: {
      ...(end === undefined ? {} : { after: { createdAt: end.createdAt, id: end.id } }),
      told: toldNow.filter((one) => !ends.has(one)),
    },
  };
}

/** Enough of an id to tell it from its neighbors. */
function endOf(id: string): string {
  return id.slice(-10);
}

export function writeCursor({ after, told }: Cursor): string {
  return [after === undefined ? '' : `${after.createdAt.toString(36)}.${after.id}`, ...told].join('~');
}

/** Null for what {@link writeCursor} has not made. */
export function readCursor(cursor: string): Cursor | null {
  const [place = '', ...told] = cursor.split('~');
  if (told.length > MAX_TOLD || !told.every(isId)) return null;
  if (place === '') return told.length === 0 ? null : { told };
  const [, time = '', id] = /^([0-9a-z]{1,11})\.(.+)$/.exec(place) ?? [];
  const createdAt = Number.parseInt(time, 36);
  return isId(id) && Number.isSafeInteger(createdAt) ? { after: { createdAt, id }, told } : null;
}
