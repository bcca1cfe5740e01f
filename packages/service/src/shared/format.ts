/** Formats amounts and days for payers, in any of the pages' languages. */

/** Substitutes for languages that `Intl` doesn't know. */
const NEAREST: Partial<Record<string, string>> = { ht: 'fr-HT', 'en-XA': 'en-US', 'ar-XB': 'ar-US' };

/**
 * The locale for `Intl`: `regional` (such as `es-MX`) or else the US variety, because payments are made in the US. Always
 * uses Latin digits, which the fields accept, and the Gregorian calendar, like the bills.
 */
export function localeOf(language: string, regional?: string): string {
  return (NEAREST[language] ?? regional ?? `${language}-US`).replace(/-u-.*|$/, '-u-ca-gregory-nu-latn');
}

/** The locale for numbers. `Intl` has no Haitian Creole, and its speakers know the format of US bills. */
export function numberLocaleOf(locale: string): string {
  return locale.startsWith('fr-HT') ? 'en-US' : locale;
}

/** Integer cents of US dollars: `1234` → `$12.34`. */
export function formatMoney(cents: number, locale: string): string {
  const text = new Intl.NumberFormat(numberLocaleOf(locale), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  }).format(cents / 100);
  // Arabic has no narrow symbol, and a right-to-left line would show it as `$US`.
  return text.replace('US$', '$');
}

/** Months are always words, because payers in the US read 05/12 as May 12. */
const STYLES = {
  short: { month: 'short', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  long: { dateStyle: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** The calendar day that begins at `start` in UTC, ms since the epoch. */
export function formatDay(start: number, style: 'short' | 'medium' | 'long', locale: string): string {
  return new Intl.DateTimeFormat(locale, { ...STYLES[style], timeZone: 'UTC' }).format(start);
}

/** Keeps a day on one line. Not in plain text: a single such space more than doubles the price of an SMS. */
export const onOneLine = (day: string): string => day.replaceAll(' ', '\u00a0');

/** Right-to-left scripts, including the presentation forms that some programs copy from documents. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ud802-\ud83b\ufb1d-\ufeff]/;

/**
 * Isolates a name's text direction from its sentence, as `<bdi>` does in HTML. Returns it unchanged if the directions
 * can't differ.
 */
export function isolateIn(direction: string | undefined, value: string): string {
  const mayTurn = direction === 'rtl' || RIGHT_TO_LEFT.test(value);
  return mayTurn ? `\u2068${value}\u2069` : value;
}
