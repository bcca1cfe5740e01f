/** Checks the ids that a page sends: those it generated and those of the service. */
import { ok, invalid, type Validated } from './result.js';

/** Whether a value looks like one of our ids. Others are never looked up. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value);
}

/** Checks a request id that a page generated. The format is safe for databases and logs. */
export function checkRequestId(
  input: Record<string, unknown>,
  field: 'attemptId' | 'requestId',
): Validated<string> {
  const value = input[field];
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value)) return ok(value);
  const message = 'Use an id of 8 to 64 letters, digits, "-" and "_", and reuse it when you retry.';
  return invalid({ field, message });
}
