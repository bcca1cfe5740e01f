/** Checks ids that a page sends: its own and the service's. */
import { done, invalid, type Checked } from './outcome.js';

/** Whether a value has the form of our ids. Nothing else is looked up. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value);
}

/** Checks an id that a page made for a request. The form is strict enough for databases and logs. */
export function checkRequestId(
  input: Record<string, unknown>,
  field: 'attemptId' | 'requestId',
): Checked<string> {
  const value = input[field];
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value)) return done(value);
  const message = 'Use an id of 8 to 64 letters, digits, "-" and "_", and the same one to try again.';
  return invalid({ field, message });
}
