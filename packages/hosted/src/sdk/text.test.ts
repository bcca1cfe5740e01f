import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../service/src/shared/languages.js';
import { wordsOf } from './text.js';

/** How each language says that nothing was charged. */
const NOTHING_CHARGED: Record<Language, RegExp> = {
  en: /charged nothing/,
  es: /no ha cobrado nada/,
  fr: /Rien n’a été débité/,
  pt: /Nada foi cobrado/,
  'zh-Hans': /未扣款/,
  'zh-Hant': /未扣款/,
  vi: /Chưa thu tiền/,
  ko: /청구되지 않았습니다/,
  tl: /Walang siningil/,
  ru: /Ничего не списано/,
  ht: /Yo pa pran lajan/,
  ar: /لم يُخصم شيء/,
};

describe('what the SDK says where nothing loads', () => {
  it.each(LANGUAGES)('R-60 in %s it says that nothing was charged', (lang) => {
    expect(wordsOf([lang]).text.unreachable).toMatch(NOTHING_CHARGED[lang]);
  });
});
