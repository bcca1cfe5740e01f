/** Limits and defaults that pages and the service share. Lengths are UTF-16 code units, amounts are cents. */

/** Name on a card or holder of a bank account. */
export const MAX_NAME = 100;
/** The payer's own name for a saved method. */
export const MAX_METHOD_NAME = 40;
/** A custom field of the business unit. */
export const MAX_FIELD_VALUE = 500;
/** Texts of a session on the page; longer ones are truncated. */
export const MAX_SHOWN = 300;
/** A business unit's name in a heading or title. */
export const MAX_BUSINESS_NAME = 120;
/** A scheduled payment's amount; more is a typo. */
export const MAX_SCHEDULED = 99_999_999;

/** Default country of a card, matching the currency. */
export const DEFAULT_COUNTRY = 'US';
