/** Formats a card number while the user types, grouped as on cards of its brand. */
import { brandOf, cardLengths, type Brand } from '@shared/card.js';

const FOURS = [4, 4, 4, 4, 3];
/** Brands with other groups. */
const GROUPS: Partial<Record<Brand, readonly number[]>> = { amex: [4, 6, 5], diners: [4, 6, 9] };

export function formatCardNumber(typed: string): string {
  const brand = brandOf(typed);
  const digits = typed.slice(0, Math.max(...cardLengths(typed)));
  const parts: string[] = [];
  let start = 0;
  for (const size of (brand && GROUPS[brand]) ?? FOURS) {
    if (start >= digits.length) break;
    parts.push(digits.slice(start, start + size));
    start += size;
  }
  return parts.join(' ');
}
