import { formatDay } from '@shared/format.js';
import { locale } from './locale.js';

/** A calendar day, `YYYY-MM-DD` (or the day of an ISO 8601 instant), independent of time zones. */
export function day(iso: string, style: 'short' | 'medium' | 'long' = 'medium'): string {
  const start = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(start) ? iso : formatDay(start, style, locale());
}

export const longDay = (iso: string): string => day(iso, 'long');
