/** Money in integer cents of US dollars, as the contract has it. */
import { plain } from '../../../../../service/src/shared/plain.js';
import { locale } from './locale.js';

/** `1234` → `$12.34`. */
export function money(cents: number): string {
  const text = new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  }).format(cents / 100);
  // Arabic has none narrower, and a line from right to left would show it as `$US`.
  return text.replace('US$', '$');
}

/** What an amount field shows: `1234` → `12.34`, with the decimal sign of the locale. */
export function amountText(cents: number): string {
  return new Intl.NumberFormat(locale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  }).format(cents / 100);
}

/** With grouping only where it cannot be mistaken for a decimal sign: `12.345` is no amount. */
const AMOUNTS = [
  /^\d*(?:[.,]\d{1,2})?$/,
  /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/,
  /^\d{1,3}(?:\.\d{3})+,\d{1,2}$/,
];

/** Cents of what was typed or pasted, or null when it is no amount: `12`, `12.5`, `$1,250.00`, `1.250,00`. */
export function parseAmount(typed: string): number | null {
  const amount = plain(typed).replace(/[\s$]/g, '');
  if (!/\d/.test(amount) || !AMOUNTS.some((pattern) => pattern.test(amount))) return null;
  const [, whole = '', fraction = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(amount) ?? [];
  const cents = Number(whole.replace(/[.,]/g, '')) * 100 + Number(fraction.padEnd(2, '0'));
  return Number.isSafeInteger(cents) ? cents : null;
}
