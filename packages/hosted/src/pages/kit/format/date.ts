import { formatDay } from '../../../../../service/src/shared/format.js';
import { locale } from './locale.js';

/** A calendar day in the page's language. See {@link formatDay}. */
export function day(iso: string, style: 'medium' | 'long' = 'medium'): string {
  return formatDay(iso, style, locale());
}

export const longDay = (iso: string): string => day(iso, 'long');
