/** The words of authorizations in every language, with the formats that the pages use. */
import * as ar from '../../shared/authorization/ar.js';
import * as en from '../../shared/authorization/en.js';
import * as es from '../../shared/authorization/es.js';
import * as fr from '../../shared/authorization/fr.js';
import * as ht from '../../shared/authorization/ht.js';
import * as ko from '../../shared/authorization/ko.js';
import * as pt from '../../shared/authorization/pt.js';
import * as ru from '../../shared/authorization/ru.js';
import * as tl from '../../shared/authorization/tl.js';
import * as vi from '../../shared/authorization/vi.js';
import * as zhHans from '../../shared/authorization/zh-Hans.js';
import * as zhHant from '../../shared/authorization/zh-Hant.js';
import { startOf } from '../../core/day.js';
import type { AuthorizationText, Wording } from '../../shared/authorization-text.js';
import { formatDay, formatMoney, isolateIn, localeOf } from '../../shared/format.js';
import { inert } from '../../shared/inert.js';
import { directionOf, type Language } from '../../shared/languages.js';
import { MAX_BUSINESS_NAME } from '../../shared/limits.js';

const TEXTS: Readonly<Record<Language, AuthorizationText>> = {
  ar,
  en,
  es,
  fr,
  ht,
  ko,
  pt,
  ru,
  tl,
  vi,
  'zh-Hans': zhHans,
  'zh-Hant': zhHant,
};

export function wordingOf(language: Language, businessName: string): Wording {
  const locale = localeOf(language);
  return {
    text: TEXTS[language],
    business: isolateIn(directionOf(language), inert(businessName, MAX_BUSINESS_NAME)),
    money: (cents) => formatMoney(cents, locale),
    day: (iso) => formatDay(startOf(iso) ?? 0, 'long', locale),
  };
}

/** `Dana Reyes · Account 1001-02`, as the page names an account. */
export function accountIn(
  language: Language,
  {
    accountNumber,
    subAccountNumber,
    name,
  }: { accountNumber: string; subAccountNumber: string; name?: string },
): string {
  const direction = directionOf(language);
  const number = subAccountNumber === '' ? accountNumber : `${accountNumber}-${subAccountNumber}`;
  const numbered = TEXTS[language].accountNumber(isolateIn(direction, inert(number, 80)));
  return [...(name ? [inert(name, 120)] : []), numbered]
    .map((part) => isolateIn(direction, part))
    .join(' · ');
}
