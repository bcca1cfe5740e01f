import { LANGUAGES, matchLanguage, type Language } from './languages.js';

/** More than browsers send. Matching a tag takes a few microseconds. */
export const MAX_TAGS = 20;

interface LanguageSources {
  /** The merchant's choice, from the page's URL. For a message, the language of the customer's pages. */
  requested?: string | undefined;
  /** The business unit's. */
  configured?: string | undefined;
  /** The browser's header. */
  acceptLanguage?: string | undefined;
  /** Languages that the business unit offers. Default: all. */
  offered?: readonly Language[] | undefined;
}

/** Prefers the merchant's choice, then the business unit's, then the browser's first language with a catalog, then English. */
export function chooseLanguage({
  requested = '',
  configured = '',
  acceptLanguage,
  offered = LANGUAGES,
}: LanguageSources): Language {
  const match = (tag: string): Language | undefined => {
    const language = matchLanguage(tag);
    return language !== undefined && offered.includes(language) ? language : undefined;
  };
  return (
    match(requested) ??
    match(configured) ??
    browserLanguage(acceptLanguage, match) ??
    (offered.includes('en') ? 'en' : (offered[0] ?? 'en'))
  );
}

function browserLanguage(
  acceptLanguage = '',
  match: (tag: string) => Language | undefined,
): Language | undefined {
  return acceptLanguage
    .slice(0, 500)
    .split(',', MAX_TAGS)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
      return { language: match(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .find(({ language }) => language !== undefined)?.language;
}
