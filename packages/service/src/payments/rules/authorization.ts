/** What a payer agreed to before a bank account is debited: kept as it was shown. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Occasion } from '../../core/occasion.js';
import { done, invalid } from '../../core/outcome.js';
import type { Checked } from '../../core/outcome.js';

export interface Authorization {
  readonly id: string;
  readonly businessUnit: string;
  /** As the page showed it, in the payer's language. */
  readonly text: string;
  /** Ms since the epoch. */
  readonly agreedAt: number;
  /** When the payer, or the merchant, ended it; what was charged before stays authorized. */
  readonly revokedAt?: number;
}

export interface Authorizations {
  get(id: string): Promise<Authorization | null>;
  insert(authorization: Authorization): Promise<void>;
  /** Once: a later time changes nothing. */
  revoke(id: string, now: number): Promise<void>;
  list(businessUnit: string): Promise<Authorization[]>;
}

/** Of a bank payment whose page sent what it showed; null where none is needed or none came. */
export function authorizationOf(
  { businessUnit, method }: { businessUnit: string; method: PaymentMethod },
  text: string | null,
  { now, newId }: Occasion,
): Authorization | null {
  return text === null || method !== 'ACH' ? null : { id: newId('aut_'), businessUnit, text, agreedAt: now };
}

const MAX_LENGTH = 4_000;

/** The text that a page sends with a bank payment; null where it sends none. */
export function checkAuthorization(input: Record<string, unknown>): Checked<string | null> {
  const { authorization = null } = input;
  if (authorization === null) return done(null);
  const text = typeof authorization === 'string' ? authorization.trim() : '';
  // Lines are part of a text; other control characters and half characters are in none.
  if (text !== '' && text.length <= MAX_LENGTH && !/[^\n\P{Cc}]|\p{Cs}/u.test(text)) return done(text);
  const message = `The authorization is a text of at most ${MAX_LENGTH} characters.`;
  return invalid({ field: 'authorization', message });
}
