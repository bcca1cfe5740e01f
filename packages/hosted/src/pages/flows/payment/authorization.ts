/** The bank debit authorization, shown above Pay. The service generates and stores the same text. */
import { bankDebitText } from '@shared/authorization-text.js';
import type { PaymentPageSession } from '@shared/page.js';
import type { Values } from '../../kit/design/form.js';
import { longDay } from '../../kit/format/date.js';
import { digitsOf } from '../../kit/format/masked.js';
import { CHOICE, savedIdOf } from '../../kit/source/source-form.js';
import { terms } from '../../kit/text/index.js';

/** Returns null unless a bank account is selected. `total`: formatted. */
export function authorizationText(
  { today, savedMethods }: PaymentPageSession,
  values: Values,
  total: string,
  business: string,
): string | null {
  const saved = savedMethods.find(({ id }) => id === savedIdOf(values));
  if (values[CHOICE] !== 'ACH' && saved?.method !== 'ACH') return null;
  const last4 = saved?.last4 ?? digitsOf(values['accountNumber'] ?? '').slice(-4);
  return bankDebitText({ text: terms, business, day: longDay }, { total, last4, today });
}
