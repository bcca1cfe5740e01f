/** Money in integer cents of US dollars, as the contract has it. */
import { locale } from './locale.js';

/** `1234` → `$12.34`. */
export function money(cents: number): string {
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  }).format(cents / 100);
}

/** What an amount field shows: `1234` → `12.34`, with the decimal sign of the locale. */
export function amountText(cents: number): string {
  return new Intl.NumberFormat(locale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  }).format(cents / 100);
}

/**
 * Cents of what was typed or pasted, or null when it is no amount: `12`, `12.5`, `$1,250.00`, `1.250,00`.
 * The last point or comma is the decimal sign when one or two digits follow it, else it groups thousands.
 */
export function parseAmount(typed: string): number | null {
  const plain = typed.normalize('NFKC').replace(/[\s$]/g, '');
  const match = /^(\d[\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(plain);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  if (!/^\d+$|^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(whole)) return null;
  const cents = Number(whole.replace(/[.,]/g, '')) * 100 + Number(fraction.padEnd(2, '0'));
  return Number.isSafeInteger(cents) ? cents : null;
}
