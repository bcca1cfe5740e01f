import { ServiceError } from '../core/error.js';

interface Refusal {
  readonly status: 400 | 413 | 503;
  readonly headers: Record<string, string>;
}

/** How to answer an error that the request or the database has caused; null for any other. */
export function refusalOf(error: Error): Refusal | null {
  if (!(error instanceof ServiceError)) return null;

  if (error.code === 'body_too_large') return { status: 413, headers: {} };
  if (error.code === 'invalid') return { status: 400, headers: {} };
  if (error.code !== 'unavailable') return null;
  return { status: 503, headers: { 'retry-after': String(error.retryAfter) } };
}
