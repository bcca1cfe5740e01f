import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '@shared/languages.js';
import { sdkTexts } from '../../vite.texts.js';

/** The phrase in each language for "Opening this charged nothing". It must not claim more: a payment may be in flight. */
const OPENING_CHARGED_NOTHING: Record<Language, RegExp> = {
  en: /Opening it didn’t charge/,
  es: /Abrir esta página no genera/,
  fr: /L’ouverture de cette page n’a rien débité/,
  pt: /Abrir esta página não gerou/,
  'zh-Hans': /打开此页面不会扣款/,
  'zh-Hant': /開啟此頁面不會扣款/,
  vi: /Việc mở trang này không/,
  ko: /여는 것만으로는 결제되지 않습니다/,
  tl: /Walang siningil sa pagbukas/,
  ru: /При открытии этой страницы/,
  ht: /paske ou louvri l/,
  ar: /فتح هذه الصفحة لا يخصم/,
};

describe('the text for a frame that does not load', () => {
  it.each(LANGUAGES)('R-60 in %s only claims that opening the page charged nothing', (lang) => {
    expect(sdkTexts()[lang].unreachable).toMatch(OPENING_CHARGED_NOTHING[lang]);
  });
});
