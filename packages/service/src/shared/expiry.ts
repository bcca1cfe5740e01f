/** Expiry dates of cards, `MM/YY` on the wire. A card is good until its month has ended. */
export type ExpiryProblem = 'invalid' | 'past';

/** What is wrong with an expiry at `when`, an ISO 8601 day or instant; null where it is a month that has not passed. */
export function expiryProblem(expiry: string, when: string): ExpiryProblem | null {
  if (!/^(0[1-9]|1[0-2])\/\d\d$/.test(expiry)) return 'invalid';
  return isPast(expiry, when) ? 'past' : null;
}

/** True when the month of an expiry had ended at `when`, an ISO 8601 day or instant. */
export function isPast(expiry: string, when: string): boolean {
  return `20${expiry.slice(3)}-${expiry.slice(0, 2)}` < when.slice(0, 7);
}
