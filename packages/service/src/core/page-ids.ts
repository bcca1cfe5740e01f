/** Ids that a page sends: those that it made itself, and those of ours that it was given. */
import { done, invalid } from './outcome.js';
import type { Checked } from './outcome.js';

/** What an id of ours looks like: nothing else is looked up. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value);
}

/** An id that a page made for one request, enough of a shape to keep a database and a log clean. */
export function checkRequestId(
  input: Record<string, unknown>,
  field: 'attemptId' | 'requestId',
): Checked<string> {
  const value = input[field];
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value)) return done(value);
  const message = 'Make an id of 8 to 64 letters, digits, "-" and "_", and keep it when you try again.';
  return invalid({ field, message });
}
