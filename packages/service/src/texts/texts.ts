/// <reference types="vite/types/importMeta.d.ts" />
/** The texts in every language, from `packages/hosted/locales`. */
import { LANGUAGES, type Language } from '../shared/languages.js';
import type { Texts } from '../shared/texts.generated.js';
import { argumentsOf, compile, nest, partsOf } from './compile.js';

/** A file of `packages/hosted/locales`. */
export interface Locale {
  readonly language: Language;
  /** The speaker of the language who reviewed all texts; null for an unreviewed machine translation. */
  readonly reviewedBy: string | null;
  /** In ICU MessageFormat. */
  readonly messages: Readonly<Record<string, string>>;
}

interface EnglishLocale extends Locale {
  readonly keys: Readonly<Record<string, { readonly arguments?: readonly string[] }>>;
}

const FILES = import.meta.glob<Locale>(
  ['../../../hosted/locales/*.json', '!../../../hosted/locales/glossary.json'],
  { eager: true, import: 'default' },
);

export const LOCALES = Object.fromEntries(
  Object.values(FILES).map((file) => [file.language, file]),
) as unknown as Readonly<Record<Language, Locale>>;

export const KEYS: EnglishLocale['keys'] = (LOCALES.en as EnglishLocale).keys;

/** Texts that a business unit replaces, in ICU MessageFormat. */
export type Overrides = Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>>;

/** Languages whose texts a person has reviewed, and English, the original. */
export const REVIEWED: readonly Language[] = LANGUAGES.filter(
  (language) => language === 'en' || LOCALES[language].reviewedBy !== null,
);

export function overrideProblem(language: Language, key: string, message: string): string | null {
  if (!Object.hasOwn(KEYS, key)) return 'there is no such text';
  // Authorizations are evidence, and `manage.autopay.limit` repeats one.
  if (/^authorization\.|^manage\.autopay\.limit$/.test(key))
    return 'texts that payers authorize cannot be replaced';
  if (key.startsWith('sdk.')) return 'the script on merchants’ pages uses the same texts for everybody';
  try {
    const named = [...argumentsOf(partsOf(language, message)).keys()].toSorted().join(', ');
    const expected = (KEYS[key]?.arguments ?? []).toSorted().join(', ');
    return named === expected ? null : `has the arguments ${named || 'none'}, expected ${expected || 'none'}`;
  } catch (error) {
    return `is not an ICU message: ${(error as Error).message}`;
  }
}

/** By the messages of a language, or those that a business unit replaces. */
const compiled = new WeakMap<object, Texts>();

export function textsOf(language: Language, overrides?: Overrides): Texts {
  const { messages } = LOCALES[language];
  const own = overrides?.[language];
  const known = compiled.get(own ?? messages);
  if (known !== undefined) return known;

  const texts = compileAll(language, { ...messages, ...own });
  compiled.set(own ?? messages, texts);
  return texts;
}

function compileAll(language: Language, messages: Locale['messages']): Texts {
  const entries = Object.entries(messages).map(
    ([key, message]) => [key, compile(language, message, KEYS[key]?.arguments ?? [])] as const,
  );
  return nest(entries) as unknown as Texts;
}
