import type { PageLanguage } from '../../../../../service/src/shared/languages.js';

/** The page's language, chosen by the service. English outside a page. */
export function language(): PageLanguage {
  return (globalThis.document?.documentElement.lang || 'en') as PageLanguage;
}

/** The language `Intl` falls back to for one that it doesn't know. */
const NEAREST: Partial<Record<string, string>> = { ht: 'fr-HT', 'en-XA': 'en-US', 'ar-XB': 'ar-US' };

/**
 * For `Intl`: the browser's regional variety of the page's language, such as `es-MX`, else the US variety, because payments
 * are made there. Always uses the digits accepted by the fields and the calendar of the bill.
 */
export function locale(): string {
  const spoken = language();
  const own = globalThis.navigator?.languages?.find((tag) => tag.startsWith(`${spoken}-`));
  return (NEAREST[spoken] ?? own ?? `${spoken}-US`).replace(/-u-.*|$/, '-u-ca-gregory-nu-latn');
}
