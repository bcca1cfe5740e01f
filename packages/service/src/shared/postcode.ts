import { HOME } from './country.js';
import { plain } from './plain.js';

/**
 * The stored form of a postcode in a country (ISO 3166-1 alpha-2), in capitals; null if it is invalid. The US and Canada
 * have their own formats, with or without dash or space: `12345`, `12345-6789`, `K1A 0B1`. Elsewhere: 2 to 10 letters,
 * digits, spaces and hyphens.
 */
export function readPostcode(typed: string, country: string): string | null {
  const code = plain(typed).trim().toUpperCase();
  if (country === HOME) return parts(/^(\d{5})(?:[-\s]?(\d{4}))?$/.exec(code), '-');
  if (country === 'CA') return parts(/^([A-Z]\d[A-Z])[-\s]?(\d[A-Z]\d)$/.exec(code), ' ');
  return /^(?=.*[A-Z\d])[A-Z\d -]{2,10}$/.test(code) ? code : null;
}

function parts(match: readonly (string | undefined)[] | null, between: string): string | null {
  return match && match.slice(1).filter(Boolean).join(between);
}
