import type { AutopayEnrollment } from '@shared/page.js';
import { day } from '../format/date.js';
import { money } from '../format/money.js';
import { methodName } from '../source/saved-method.js';
import { manage } from '../text/index.js';

/** The upcoming charges of the service or the merchant, earliest first. */
export function chargesAhead({ next, scheduled = [], method }: AutopayEnrollment): string[] {
  return [...(next === undefined ? [] : [next]), ...scheduled]
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ amount, date }) => manage.autopay.next(money(amount), day(date), methodName(method)));
}
