import type { PageLanguage } from '../../../../../service/src/shared/languages.js';

/** The page's language, chosen by the service; English where there is no page. */
export function language(): PageLanguage {
  return (globalThis.document?.documentElement.lang || 'en') as PageLanguage;
}

/** What `Intl` speaks of a language that it does not know. */
const NEAREST: Partial<Record<string, string>> = { ht: 'fr-HT', 'en-XA': 'en-US', 'ar-XB': 'ar-US' };

/**
 * For `Intl`: the browser's own variety of the page's language, such as `es-MX`, else that of the US, where what is
 * paid is. With the digits that are typed into the fields, and the calendar of the bill, whatever is usual there.
 */
export function locale(): string {
  const spoken = language();
  const own = globalThis.navigator?.languages?.find((tag) => tag.startsWith(`${spoken}-`));
  return (NEAREST[spoken] ?? own ?? `${spoken}-US`).replace(/-u-.*|$/, '-u-ca-gregory-nu-latn');
}
