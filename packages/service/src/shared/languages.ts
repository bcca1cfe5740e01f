/** Languages of the hosted pages, the SDK and messages. Each has a file in `packages/hosted/locales`. */
export const LANGUAGES = [
  'en',
  'es',
  'fr',
  'pt',
  'zh-Hans',
  'zh-Hant',
  'vi',
  'ko',
  'tl',
  'ru',
  'ht',
  'ar',
] as const;
export type Language = (typeof LANGUAGES)[number];

/** For tests, outside production: `en-XA` is English with accents, a third longer; `ar-XB` is English from right to left. */
export const TEST_LANGUAGES = ['en-XA', 'ar-XB'] as const;
export type PageLanguage = Language | (typeof TEST_LANGUAGES)[number];

export function directionOf(language: PageLanguage): 'ltr' | 'rtl' {
  return language.startsWith('ar') ? 'rtl' : 'ltr';
}

/** The value of HTML's `lang` attribute. Screen readers know Filipino as `fil`. */
export function htmlLanguage(language: PageLanguage): string {
  return language === 'tl' ? 'fil' : language;
}

/** Other tags of supported languages. */
const ALIASES: Readonly<Record<string, string>> = { fil: 'tl', cmn: 'zh', yue: 'zh-yue' };

/** Software must take tags of this length (RFC 5646, 4.4.1). Clients may send longer ones. */
const MAX_TAG_LENGTH = 35;

/** Finds the supported language for a BCP 47 tag such as `pt-BR`, `zh-TW`, `yue` or `fil`. */
export function matchLanguage(tag: string): Language | undefined {
  const [language = '', ...rest] = tag
    .trim()
    .slice(0, MAX_TAG_LENGTH)
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^\w+/, (primary) => ALIASES[primary] ?? primary)
    .split('-');
  const wanted =
    language === 'zh'
      ? `zh-han${/\bhant\b|^(?!.*\b(?:hans|cn)\b).*\b(?:tw|hk|mo|yue)\b/.test(rest.join('-')) ? 't' : 's'}`
      : language;
  return LANGUAGES.find((known) => known.toLowerCase() === wanted);
}

export function matchTestLanguage(tag: string): PageLanguage | undefined {
  return TEST_LANGUAGES.find((known) => known === tag);
}

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
