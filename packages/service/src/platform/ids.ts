import { hash, randomFillSync } from 'node:crypto';
import { ID_PREFIXES, type ServiceEnvironment } from '../shared/environment.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
const RANDOM_BYTES = 16;

// Many ids' worth of randomness at once: a system call for each would be most of their cost.
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let used = pool.length;

/**
 * An id such as `stg_1kb9x…`: first the time, so that new rows lie together in every index, then 128 random bits,
 * so that it cannot be guessed.
 */
export function makeId(prefix: string, now: number): string {
  return prefix + timeOfId(now) + random();
}

/**
 * The id that a charge has at the processor, derived from what it charges. A service that was restored from a backup
 * sends the same id again, so the processor charges once. One of the parts must be an id of ours: only that makes
 * the result unguessable, and different in every database.
 *
 * @param instant ms since the epoch, by which the ids of one kind sort; derived from the same parts
 * @example derivedId('pay_', startOf(date), env, 'schedule', schedule.id)
 */
export function derivedId(prefix: string, instant: number, ...parts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, RANDOM_BYTES);
  return prefix + timeOfId(instant) + digest.toString('base64url');
}

/** What the ids made at `now`, ms since the epoch, have after their prefix. */
export function timeOfId(now: number): string {
  let time = '';
  for (let rest = now; time.length < TIME_LENGTH; rest = Math.floor(rest / 32))
    time = DIGITS[rest % 32] + time;
  return time;
}

function random(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString('base64url', used, (used += RANDOM_BYTES));
}

/** What ids of sessions and API keys of an environment begin with. */
export function environmentPrefix(env: ServiceEnvironment): string {
  return ID_PREFIXES[env];
}
