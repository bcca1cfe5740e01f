/** Authorization texts in every language, formatted as on the pages. */
import { startOf } from '../core/day.js';
import { fullNumber } from '../accounts/rules/account-sync.js';
import type { Wording } from '../shared/authorization-text.js';
import { formatDay, formatMoney, isolateIn, localeOf, onOneLine } from '../shared/format.js';
import { inert } from '../shared/inert.js';
import { directionOf, type Language } from '../shared/languages.js';
import { MAX_BUSINESS_NAME } from '../shared/limits.js';
import { textsOf } from './texts.js';

export function wordingOf(language: Language, businessName: string): Wording {
  const locale = localeOf(language);
  return {
    text: textsOf(language).authorization,
    business: isolateIn(directionOf(language), inert(businessName, MAX_BUSINESS_NAME)),
    money: (cents) => formatMoney(cents, locale),
    day: (iso) => onOneLine(formatDay(startOf(iso) ?? 0, 'long', locale)),
  };
}

/** `Dana Reyes · Account 1001-02`, as the page names an account. */
export function accountIn(
  language: Language,
  { name, ...account }: { accountNumber: string; subAccountNumber: string; name?: string },
): string {
  const direction = directionOf(language);
  const number = isolateIn(direction, inert(fullNumber(account), 80));
  const numbered = textsOf(language).authorization.accountNumber(number);
  return [...(name ? [inert(name, 120)] : []), numbered]
    .map((part) => isolateIn(direction, part))
    .join(' · ');
}
