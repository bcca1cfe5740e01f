/** A payer's authorization of a bank debit, stored word for word. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { given } from '../../core/given.js';
import type { Occasion } from '../../core/occasion.js';
import { done, invalid } from '../../core/outcome.js';
import type { Checked } from '../../core/outcome.js';
import type { Device } from '../../processor/rules/port.js';

export interface Authorization {
  readonly id: string;
  readonly businessUnit: string;
  /** The text on the page, in the payer's language. */
  readonly text: string;
  /** Ms since the epoch. */
  readonly agreedAt: number;
  /** The browser that agreed, for the mandate of a later charge. */
  readonly device?: Device;
  /** When the payer or merchant revoked it; earlier charges stay authorized. */
  readonly revokedAt?: number;
}

export interface Authorizations {
  get(id: string): Promise<Authorization | null>;
  insert(authorization: Authorization): Promise<void>;
  /** Revokes it once; a later call is a no-op. */
  revoke(id: string, now: number): Promise<void>;
  list(businessUnit: string): Promise<Authorization[]>;
}

/** What a page sent, and from which browser. */
export type Agreement = Pick<Authorization, 'text' | 'device'>;

/** The authorization of a bank payment; null if none is needed or the page sent no text. */
export function authorizationOf(
  { businessUnit, method }: { businessUnit: string; method: PaymentMethod },
  agreement: Agreement | null,
  { now, newId }: Occasion,
): Authorization | null {
  if (agreement === null || method !== 'ACH') return null;
  return { id: newId('aut_'), businessUnit, ...agreement, agreedAt: now };
}

const MAX_LENGTH = 4_000;

/** Checks the text that a page sends with a bank payment; null if it sends no text. */
export function checkAuthorization(
  input: Record<string, unknown>,
  device: Device | undefined,
): Checked<Agreement | null> {
  const { authorization = null } = input;
  if (authorization === null) return done(null);
  const text = typeof authorization === 'string' ? authorization.trim() : '';
  // Line breaks are allowed; other control characters and lone surrogates are not.
  if (text !== '' && text.length <= MAX_LENGTH && !/[^\n\P{Cc}]|\p{Cs}/u.test(text))
    return done({ text, ...given({ device }) });
  const message = `The authorization is a text of at most ${MAX_LENGTH} characters.`;
  return invalid({ field: 'authorization', message });
}
