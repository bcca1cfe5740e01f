import { randomFillSync } from 'node:crypto';
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
