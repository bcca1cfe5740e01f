/** Finds card and account numbers in texts that are stored and shown, where payers or browsers may enter them by mistake. */
import { CARD_LENGTHS } from '../../shared/card.js';
import { checkCardNumber } from '../../shared/check-card.js';
import { latinDigits } from '../../shared/plain.js';

/** Whether a text contains a number, whatever separates its digits. */
export function containsTyped(text: string, number: string): boolean {
  return number !== '' && joined(text).includes(number);
}

/** Whether a text contains a valid card number that ends with `last4`, whatever separates its digits. */
export function containsTypedCard(text: string, last4 = ''): boolean {
  return containsCard(joined(text), last4);
}

/** Only the letters and digits. Full-width, Arabic and Persian digits become ASCII. */
function joined(text: string): string {
  return latinDigits(text.normalize('NFKC')).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Whether a text contains a card number that ends with `last4`. Checks every substring, because other digits may be adjacent. */
export function containsCard(text: string, last4: string): boolean {
  for (const run of text.match(/\d(?:[ -]?\d)*/g) ?? []) {
    const digits = run.replace(/\D/g, '');
    for (let begin = 0; begin < digits.length; begin++)
      for (const length of CARD_LENGTHS) {
        const number = digits.slice(begin, begin + length);
        if (number.endsWith(last4) && checkCardNumber(number) === null) return true;
      }
  }
  return false;
}
