import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a hundred writers of one row to take turns. */
const GIVE_UP_AFTER_MS = 10_000;
const LONGEST_PAUSE_MS = 100;

/**
 * Runs `work` again, after a jittered pause, for as long as it loses to another transaction: serialization
 * failure, deadlock, a unique key taken meanwhile, a busy file, a table that another process is just creating.
 */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!lostToAnother(error) || performance.now() > deadline) throw error;
      await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
    }
  }
}

const LOST: ReadonlySet<unknown> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '23505', // unique_violation: the other's row is there when the work runs again
  '42P07', // duplicate_table
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

function lostToAnother(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.has(error.code);
}
