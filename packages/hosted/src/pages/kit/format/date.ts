import { formatDay } from '@shared/format.js';
import { locale } from './locale.js';

/**
 * A calendar day on one line: `Dec 5, 2026`. `iso`: `YYYY-MM-DD` (or the day of an ISO 8601 instant), independent of time
 * zones.
 */
export const day = (iso: string, style: 'short' | 'medium' | 'long' = 'medium'): string =>
  formatted(iso, style).replaceAll(' ', '\u00a0');

/** As in the authorization that the service stores: `December 5, 2026`. */
export const longDay = (iso: string): string => formatted(iso, 'long');

function formatted(iso: string, style: 'short' | 'medium' | 'long'): string {
  const start = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(start) ? iso : formatDay(start, style, locale());
}
