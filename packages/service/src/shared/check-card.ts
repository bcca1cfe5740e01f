/** Checks card numbers. Numbers are digits only. */
import { cardLengths } from './card.js';

/** The check digit of ISO/IEC 7812-1. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i));
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** Returns the problem with a complete number, or null. */
export function checkCardNumber(digits: string): 'short' | 'invalid' | null {
  const lengths = cardLengths(digits);
  if (!/^\d*$/.test(digits)) return 'invalid';
  if (!lengths.includes(digits.length)) return digits.length < 16 ? 'short' : 'invalid';
  return !/^0+$/.test(digits) && luhn(digits) ? null : 'invalid';
}
