import { localeOf, isolateIn } from '@shared/format.js';
import { htmlLanguage, type PageLanguage } from '@shared/languages.js';

/** The page's language, chosen by the service. English outside a page. */
export function language(): PageLanguage {
  const tag = globalThis.document?.documentElement.lang || 'en';
  return tag === htmlLanguage('tl') ? 'tl' : (tag as PageLanguage);
}

/** The locale for `Intl`: the browser's regional variant of the page's language, else the US variant. See {@link localeOf}. */
export function locale(): string {
  const pageLanguage = language();
  return localeOf(
    pageLanguage,
    globalThis.navigator?.languages?.find((tag) => tag.startsWith(`${pageLanguage}-`)),
  );
}

/** Isolates a name within a sentence of the page. See {@link isolateIn}. */
export function isolate(value: string): string {
  return isolateIn(globalThis.document?.dir, value);
}
