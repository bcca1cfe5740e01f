/**
 * The advice that a page gives after a decline (R-59: only the merchant gets the processor's code). Covers only reasons
 * that the payer can fix: revealing that a card is lost, stolen or suspected of fraud would help a thief.
 */
import type { DeclineAdvice } from '../../shared/page.js';

/** Codes used by processors, including Stripe. */
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
  not_confirmed: ['authentication_canceled', 'abandoned'],
};

/** Returns undefined if there is no specific advice. */
export function adviceFor(reason: string | undefined): DeclineAdvice | undefined {
  const code = reason?.toLowerCase();
  return (Object.keys(CODES) as DeclineAdvice[]).find((advice) =>
    CODES[advice].some((each) => each.toLowerCase() === code),
  );
}
