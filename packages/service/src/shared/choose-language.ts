import { LANGUAGES, matchLanguage, type Language } from './languages.js';

/** More than browsers send. Matching a tag takes a few microseconds. */
export const MAX_TAGS = 20;

interface LanguageSources {
  /** The merchant's choice, from the page's URL. For a message, the language of the customer's pages. */
  requested?: string | undefined;
  /** The business unit's. */
  configured?: string | undefined;
  /** The browser's, most wanted first. */
  accepted?: readonly string[];
  /** Languages that the business unit offers. Default: all. */
  offered?: readonly Language[] | undefined;
}

/** Prefers the merchant's choice, then the business unit's, then the browser's first language with a catalog, then English. */
export function chooseLanguage({
  requested = '',
  configured = '',
  accepted = [],
  offered = LANGUAGES,
}: LanguageSources): Language {
  const match = (tag: string): Language | undefined => {
    const language = matchLanguage(tag);
    return language !== undefined && offered.includes(language) ? language : undefined;
  };
  return (
    match(requested) ??
    match(configured) ??
    accepted.slice(0, MAX_TAGS).map(match).find(Boolean) ??
    (offered.includes('en') ? 'en' : (offered[0] ?? 'en'))
  );
}
