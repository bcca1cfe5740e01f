/** Amounts are integer cents of US dollars, as in the API contract. */
import { formatMoney, numberLocaleOf } from '@shared/format.js';
import { plain } from '@shared/plain.js';
import { locale } from './locale.js';

/** `1234` → `$12.34`. */
export function money(cents: number): string {
  return formatMoney(cents, locale());
}

/** Formats an amount for a field: `1234` → `12.34`, with the locale's decimal sign. */
export function amountText(cents: number): string {
  return new Intl.NumberFormat(numberLocaleOf(locale()), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  }).format(cents / 100);
}

/** Amounts with a decimal point. None matches a separator that could be grouping or decimal, as in `12.345`. */
const AMOUNTS = [
  /^(?:\d*|\d{1,3}(?:\s\d{3})+)(?:[.,]\d{0,2})?$/,
  /^\d{1,3}(?:,\d{3})+(?:\.\d{0,2})?$/,
  /^\d{1,3}(?:\.\d{3})+,\d{1,2}$/,
];

/**
 * Parses typed or pasted amounts to cents: `12`, `12.`, `12.5`, `$1,250.00`, `1.250,00`. Grouping alone must be the locale's,
 * as in `1,250`. Returns null if invalid.
 */
export function parseAmount(typed: string): number | null {
  // Marks of writing direction come along when an amount is pasted.
  let amount = plain(typed)
    .replace(/[$\p{Cf}]/gu, '')
    .trim();
  if (amountText(0).includes(',')) amount = amount.replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ','));
  if (!/\d/.test(amount) || !AMOUNTS.some((pattern) => pattern.test(amount))) return null;
  const [, whole = '', fraction = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(amount) ?? [];
  const cents = Number(whole.replace(/\D/g, '')) * 100 + Number(fraction.padEnd(2, '0'));
  return Number.isSafeInteger(cents) ? cents : null;
}
