/** Default country of a card, matching the currency. */
export const DEFAULT_COUNTRY = 'US';
