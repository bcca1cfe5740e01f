/** Expiry dates of cards, `MM/YY` on the wire. A card is valid until the end of its month. */

/** Whether a card has expired at `when`, an ISO 8601 day or instant. */
export function isPast(expiry: string, when: string): boolean {
  return `20${expiry.slice(3)}-${expiry.slice(0, 2)}` < when.slice(0, 7);
}
