/** Formats amounts and days for payers, in any of the pages' languages. */

/** The language `Intl` falls back to for one that it doesn't know. */
const NEAREST: Partial<Record<string, string>> = { ht: 'fr-HT', 'en-XA': 'en-US', 'ar-XB': 'ar-US' };

/**
 * For `Intl`: `regional`, a variety of the language such as `es-MX`, else the US variety, because payments are made there.
 * Always uses the digits accepted by the fields and the calendar of the bill.
 */
export function localeOf(language: string, regional?: string): string {
  return (NEAREST[language] ?? regional ?? `${language}-US`).replace(/-u-.*|$/, '-u-ca-gregory-nu-latn');
}

/** For numbers: Creole speakers know the format of US bills, and `Intl` has no Creole. */
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

/** The month is always a word, because payers in the US read 05/12 as May 12. */
const STYLES = {
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  long: { dateStyle: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** The calendar day that begins at `start` in UTC, ms since the epoch. */
export function formatDay(start: number, style: 'medium' | 'long', locale: string): string {
  return new Intl.DateTimeFormat(locale, { ...STYLES[style], timeZone: 'UTC' }).format(start);
}

/** Unicode blocks of right-to-left scripts, and the presentation forms that some programs copy from documents. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ud802-\ud83b\ufb1d-\ufeff]/;

/**
 * Isolates a name within a sentence so that neither affects the other's text direction. Returns it unchanged if the
 * directions can't differ. In HTML, `<bdi>` does the same.
 */
export function isolateIn(direction: string | undefined, value: string): string {
  const mayTurn = direction === 'rtl' || RIGHT_TO_LEFT.test(value);
  return mayTurn ? `\u2068${value}\u2069` : value;
}
