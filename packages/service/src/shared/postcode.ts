import { DEFAULT_COUNTRY } from './limits.js';
import { plain } from './plain.js';

/**
 * Normalizes a postcode of a country (ISO 3166-1 alpha-2) to capitals; null if it is invalid. The US and Canada have
 * formats of their own, with or without dash or space: `12345`, `12345-6789`, `K1A 0B1`. Elsewhere, a postcode has 2 to 10
 * letters, digits, spaces and hyphens. Other dashes are hyphens, and the postal mark of Japan isn't part of it.
 */
export function readPostcode(typed: string, country: string): string | null {
  const code = plain(typed)
    .replace(/[\u2010-\u2015\u2212ー]/g, '-')
    .replace(/^\s*〒/, '')
    .trim()
    .toUpperCase();
  if (country === DEFAULT_COUNTRY) return parts(/^(\d{5})(?:[-\s]?(\d{4}))?$/.exec(code), '-');
  if (country === 'CA') return parts(/^([A-Z]\d[A-Z])[-\s]?(\d[A-Z]\d)$/.exec(code), ' ');
  return /^(?=.*[A-Z\d])[A-Z\d -]{2,10}$/.test(code) ? code : null;
}

function parts(match: readonly (string | undefined)[] | null, between: string): string | null {
  return match && match.slice(1).filter(Boolean).join(between);
}
