/** The country of a card where nothing else is said: the one whose money is taken. */
export const HOME = 'US';
