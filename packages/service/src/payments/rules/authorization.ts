/** A payer's authorization of a bank debit, in a text that the service writes. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { TxContext } from '../../core/tx-context.js';
import { ok, invalid, type Validated } from '../../core/result.js';
import { AUTHORIZATION_VERSION, type AgreedText } from '../../shared/authorization-text.js';
import { chooseLanguage } from '../../shared/choose-language.js';
import { LANGUAGES, matchLanguage, matchTestLanguage, type Language } from '../../shared/languages.js';
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

/** What a payer agreed to, and in which browser. */
export type Agreement = Pick<Authorization, 'text' | 'device'>;

/** The authorization of a bank payment; null for a card, which needs none. */
export function authorizationOf(
  { businessUnit, method }: { businessUnit: string; method: PaymentMethod },
  agreement: Agreement,
  { now, newId }: TxContext,
): Authorization | null {
  return method === 'ACH' ? { id: newId('aut_'), businessUnit, ...agreement, agreedAt: now } : null;
}

/** Which languages the pages of a business unit have. */
export interface PageLanguages {
  /** Its default. */
  readonly locale?: string | undefined;
  /** All if missing. */
  readonly languages?: readonly Language[] | undefined;
}

/**
 * Checks which text the payer saw. Resolves to its language: the default for pages of an older release, which send a
 * text or nothing instead. That text is ignored.
 *
 * @param chargedBy for AutoPay: who charges now, as the config may have changed while the page was open
 */
export function checkAgreed(
  input: Record<string, unknown>,
  { locale: configured, languages = LANGUAGES }: PageLanguages,
  chargedBy?: AgreedText['chargedBy'],
): Validated<Language> {
  const { authorization = null } = input;
  if (authorization === null || typeof authorization === 'string')
    return ok(chooseLanguage({ configured, offered: languages }));

  const agreed = Object(authorization) as Partial<Record<keyof AgreedText, unknown>>;
  const { language, version } = agreed;
  const tag = typeof language === 'string' ? language : '';
  const offered = languages.find((each) => each === matchLanguage(tag));
  const known = matchTestLanguage(tag) ? 'en' : offered;
  if (known === undefined) return problem('The authorization must name a language of the pages.');
  const isSame = agreed.chargedBy === undefined || agreed.chargedBy === chargedBy;
  return version === AUTHORIZATION_VERSION && isSame
    ? ok(known)
    : problem('The text of this authorization has changed: reload the page and read it again.');
}

function problem(message: string): Validated<never> {
  return invalid({ field: 'authorization', message });
}
