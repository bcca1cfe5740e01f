import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../core/error.js';
import { LONGEST_WAIT_MS } from '../../core/store.js';
import { Lost } from './lost.js';

/** Long enough for hundreds of writers of one row to take turns, and for a standby to take over. */
const GIVE_UP_AFTER_MS = 12_000;
const LONGEST_PAUSE_MS = 100;

/** Runs one work after the other, in the order in which they are given. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

export interface RetryOptions {
  /** To run `work` once more after it has committed changes nothing and answers the same. */
  readonly repeatable?: boolean;
  /**
   * Runs what has lost to another, one after the other where many want the same row: at once they would make each
   * other lose for as long as there are many.
   */
  readonly again?: InTurn;
}

/**
 * Runs `work` again, after a jittered pause, for as long as it loses to another transaction (serialization failure,
 * deadlock, a unique key taken meanwhile, a busy file, a table that another process is just creating) or the database
 * is not there. Where a COMMIT got no answer, only what is `repeatable`, and it is told so.
 * @throws ServiceError `unavailable` when it has to give up
 */
export async function retrying<T>(
  work: (repeated: boolean) => Promise<T>,
  { repeatable = false, again = (work) => work() }: RetryOptions = {},
): Promise<T> {
  const begunAt = performance.now();
  let taken = 0;
  let lostTo: unknown = null;
  let repeated = false;
  const run = (): Promise<T> => work(repeated);
  const runInTurn = (lost: unknown): Promise<T> => {
    // Given up then: no request waits for it any more, and lists count on that.
    if (performance.now() > begunAt + LONGEST_WAIT_MS) throw unavailable(lost);
    return run();
  };
  for (let attempt = 0; ; attempt++) {
    try {
      return await (lostTo === null ? run() : again(() => runInTurn(lostTo)));
    } catch (error) {
      const why = whyFailed(error);
      if (why === null) throw error;
      if (why === 'taken' && ++taken > MOST_TAKEN) throw error;
      if (
        why === 'hopeless' ||
        (why === 'unknown' && !repeatable) ||
        performance.now() > begunAt + GIVE_UP_AFTER_MS
      )
        throw unavailable(error);
      repeated ||= why === 'unknown';
      lostTo = why === 'conflict' || why === 'taken' ? error : null;
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
    }
  }
}

const CONFLICTS: ReadonlySet<unknown> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '42P07', // duplicate_table
  '42710', // duplicate_object: the row type of a table that another is creating
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
]);
// The other's row is there when the work runs again, so again and again would be a mistake of ours.
const TAKEN: ReadonlySet<unknown> = new Set([
  '23505', // unique_violation
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);
const MOST_TAKEN = 5;
/** insufficient_privilege: the role may not do it until somebody grants it that. */
const FORBIDDEN = '42501';

function whyFailed(error: unknown): 'conflict' | 'taken' | 'lost' | 'unknown' | 'hopeless' | null {
  if (error instanceof Lost) {
    if (!error.passing) return 'hopeless';
    return error.done === 'unknown' ? 'unknown' : 'lost';
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (CONFLICTS.has(code)) return 'conflict';
  if (code === FORBIDDEN) return 'hopeless';
  return TAKEN.has(code) ? 'taken' : null;
}
