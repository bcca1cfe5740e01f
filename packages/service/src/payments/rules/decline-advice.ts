/**
 * What a page says about a decline (R-59 keeps the processor's code for the merchant). Only reasons that the payer can
 * fix: saying that a card is lost, stolen or suspected of fraud would help a thief.
 */
import type { DeclineAdvice } from '../../shared/page.js';

/** The codes that processors use for each, Stripe's among them. */
const CODES: Readonly<Record<DeclineAdvice, readonly string[]>> = {
  insufficient_funds: [
    'insufficient_funds',
    'card_velocity_exceeded',
    'withdrawal_count_limit_exceeded',
    '51',
  ],
  card_expired: ['expired_card', 'invalid_expiry_month', 'invalid_expiry_year', '54'],
  wrong_code: ['incorrect_cvc', 'invalid_cvc', 'incorrect_security_code', 'N7'],
  wrong_zip: ['incorrect_zip', 'avs_failed'],
};

/** Undefined if there is no advice beyond the decline itself. */
export function adviceFor(reason: string | undefined): DeclineAdvice | undefined {
  const code = reason?.toLowerCase();
  return (Object.keys(CODES) as DeclineAdvice[]).find((advice) =>
    CODES[advice].some((known) => known.toLowerCase() === code),
  );
}
