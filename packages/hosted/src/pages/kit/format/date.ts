import { formatDay, onOneLine } from '@shared/format.js';
import { locale } from './locale.js';

/**
 * A calendar day on one line: `Dec 5, 2026`. `iso`: `YYYY-MM-DD` (or the day of an ISO 8601 instant), independent of time
 * zones.
 */
export function day(iso: string, style: 'short' | 'medium' | 'long' = 'medium'): string {
  const start = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(start) ? iso : onOneLine(formatDay(start, style, locale()));
}

/** As in the authorization that the service stores: `December 5, 2026`. */
export const longDay = (iso: string): string => day(iso, 'long');
