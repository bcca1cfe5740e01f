/** A card number as it is typed, in the groups in which its brand prints it. */
import { brandOf, cardLengths, type Brand } from '../../../../shared/card.js';

const FOURS = [4, 4, 4, 4, 3];
const GROUPS: Record<Brand, readonly number[]> = {
  amex: [4, 6, 5],
  diners: [4, 6, 9],
  jcb: FOURS,
  visa: FOURS,
  mastercard: FOURS,
  discover: FOURS,
  unionpay: FOURS,
};

export function formatCardNumber(typed: string): string {
  const brand = brandOf(typed);
  const digits = typed.slice(0, Math.max(...cardLengths(typed)));
  const parts: string[] = [];
  let start = 0;
  for (const size of brand === undefined ? FOURS : GROUPS[brand]) {
    if (start >= digits.length) break;
    parts.push(digits.slice(start, start + size));
    start += size;
  }
  return parts.join(' ');
}
