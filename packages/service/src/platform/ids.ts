import { hash, randomFillSync } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
const RANDOM_BYTES = 16;

// Fetch random bytes for many ids together, because a system call per id would dominate the cost.
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let used = pool.length;

/** The time comes first, so new rows are adjacent in every index. The rest is random, so it can't be guessed. */
export function makeId(prefix: string, now: number): string {
  return prefix + timeOfId(now) + random();
}

/** Whether a value has the form of an id that the service makes. No key, session secret or card number has it. */
export function isMadeId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]{3}_[0-9a-z]{9}[A-Za-z0-9_-]{22}$/.test(value);
}

/**
 * Derives a charge's id from its subject, and an account's id from its number. A service restored from a backup
 * sends the same id again, so the processor charges once. One of the parts must be a secret or a random id: it
 * makes the result unguessable and unique per database.
 *
 * @param instant ms since the epoch, the sort key of the id; derived from the same parts
 */
export function derivedId(prefix: string, instant: number, ...parts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, RANDOM_BYTES);
  return prefix + timeOfId(instant) + digest.toString('base64url');
}

/** The time part of ids made at `now`, ms since the epoch. */
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

/** Hashes a key to `sha256:<hex>`, the only form that is stored. */
export function hashKey(key: string): string {
  return `sha256:${hash('sha256', key)}`;
}
