/// <reference types="vite/types/importMeta.d.ts" />
/** The texts of every language. They are written in `packages/hosted/locales`. */
import type { Language } from '../shared/languages.js';
import type { Texts } from '../shared/texts.js';
import { compile, nest } from './compile.js';

/** A file of `packages/hosted/locales`. */
export interface Locale {
  readonly language: Language;
  /** Who speaks the language and has read all of it. Null if only a machine did. */
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

const compiled = new Map<Language, Texts>();

/** Texts of a language, compiled when they are first needed. */
export function textsOf(language: Language): Texts {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const texts = compileAll(language, LOCALES[language].messages);
  compiled.set(language, texts);
  return texts;
}

export function compileAll(language: Language, messages: Locale['messages']): Texts {
  const entries = Object.entries(messages).map(
    ([key, message]) => [key, compile(language, message, KEYS[key]?.arguments ?? [])] as const,
  );
  return nest(entries) as unknown as Texts;
}
