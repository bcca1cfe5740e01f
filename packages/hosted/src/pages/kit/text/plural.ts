import type { Language } from '../../../../../service/src/shared/languages.js';

/** The forms of a number that a message must have, by the plural rules of CLDR; those of parts and millions are `other`. */
interface Forms {
  en: 'one';
  es: 'one';
  fr: 'one';
  pt: 'one';
  'zh-Hans': never;
  'zh-Hant': never;
  vi: never;
  ko: never;
  /** `one` is any number that does not end in 4, 6 or 9: each form must print the number. */
  tl: 'one';
  ru: 'one' | 'few' | 'many';
  ht: never;
  ar: 'zero' | 'one' | 'two' | 'few' | 'many';
}

/**
 * The form for `count`.
 * @example plural('en', count, { one: 'One attempt is left.', other: `${count} attempts are left.` })
 */
export function plural<L extends Language>(
  language: L,
  count: number,
  forms: Record<Forms[L] | 'other', string>,
): string {
  const form = new Intl.PluralRules(language).select(count);
  return (forms as Partial<Record<Intl.LDMLPluralRule, string>>)[form] ?? forms.other;
}
