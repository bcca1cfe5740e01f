import {
  LANGUAGES,
  matchLanguage,
  matchTestLanguage,
  type Language,
  type PageLanguage,
} from '../shared/languages.js';

interface LanguageSources {
  /** From the page's address: the merchant's choice. */
  requested: string | undefined;
  /** The business unit's. */
  configured: string | undefined;
  /** The browser's header. */
  acceptLanguage: string | undefined;
  /** Languages that the business unit offers; all if missing. */
  offered?: readonly Language[] | undefined;
  /** Whether test languages are available. */
  tests: boolean;
}

/** The merchant's choice, else the business unit's, else the browser's first language with a catalog, else English. */
export function chooseLanguage({
  requested = '',
  configured = '',
  acceptLanguage,
  offered = LANGUAGES,
  tests,
}: LanguageSources): PageLanguage {
  const match = (tag: string): Language | undefined => {
    const language = matchLanguage(tag);
    return language !== undefined && offered.includes(language) ? language : undefined;
  };
  return (
    (tests ? matchTestLanguage(requested) : undefined) ??
    match(requested) ??
    match(configured) ??
    ofBrowser(acceptLanguage, match) ??
    (offered.includes('en') ? 'en' : (offered[0] ?? 'en'))
  );
}

function ofBrowser(acceptLanguage = '', match: (tag: string) => Language | undefined): Language | undefined {
  return acceptLanguage
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
      return { language: match(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .find(({ language }) => language !== undefined)?.language;
}
