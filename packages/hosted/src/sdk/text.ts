import { LANGUAGES, matchLanguage, type Language } from '../../../service/src/shared/languages.js';

/** Every merchant's page loads these in every language, so they are few and short. */
export interface Text {
  /** Titles of the dialog and of the frame. */
  payment: string;
  other: string;
  close: string;
  loading: string;
  unreachable: string;
  retry: string;
}

/** In the order of {@link Text} and of the keys in `locales/en.json`: their names, twelve times over, would be 1 % of the script. */
type Words = readonly [
  payment: string,
  other: string,
  close: string,
  loading: string,
  unreachable: string,
  retry: string,
];

/** From `locales/*.json`, by the build. */
declare const SDK_TEXTS: Record<Language, Words>;

/** The text of the first of these tags that is supported, or English. */
export function wordsOf(tags: readonly string[]): { lang: Language; text: Text } {
  const lang = tags.map(matchLanguage).find(Boolean) ?? LANGUAGES[0];
  const [payment, other, close, loading, unreachable, retry] = SDK_TEXTS[lang];
  return { lang, text: { payment, other, close, loading, unreachable, retry } };
}
