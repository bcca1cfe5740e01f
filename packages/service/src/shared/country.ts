/** Default country of a card, matching the currency. */
export const HOME = 'US';
