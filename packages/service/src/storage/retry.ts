import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for hundreds of writers of one row to take turns. */
const GIVE_UP_AFTER_MS = 30_000;
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

/**
 * Runs `work` again, after a jittered pause, for as long as it loses to another transaction: serialization
 * failure, deadlock, a unique key taken meanwhile, a busy file, a table that another process is just creating.
 * @param again runs what has lost, one after the other where many want the same row: at once they would make each other
 * lose for as long as there are many
 */
export async function retrying<T>(work: () => Promise<T>, again: InTurn = (work) => work()): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  let taken = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await (attempt === 0 ? work() : again(work));
    } catch (error) {
      const why = whyLost(error);
      if (why === 'taken') taken += 1;
      if (why === null || taken > MOST_TAKEN || performance.now() > deadline) throw error;
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
    }
  }
}

const LOST: ReadonlySet<unknown> = new Set([
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

function whyLost(error: unknown): 'conflict' | 'taken' | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (LOST.has(code)) return 'conflict';
  return TAKEN.has(code) ? 'taken' : null;
}
