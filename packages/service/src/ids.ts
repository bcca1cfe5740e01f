import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;

/**
 * An id such as `stg_1kb9x…`: first the time, so that new rows lie together in every index, then 128 random bits,
 * so that it cannot be guessed.
 */
export function makeId(prefix: string, now: number): string {
  let time = '';
  for (let rest = now; time.length < TIME_LENGTH; rest = Math.floor(rest / 32))
    time = DIGITS[rest % 32] + time;
  return prefix + time + randomBytes(16).toString('base64url');
}
