/** A payer's authorization of a bank debit. The service composes its text. */
import type { PaymentMethod } from '@embedded-sessions/server-types';
import { defined } from '../../core/defined.js';
import type { TxContext } from '../../core/tx-context.js';
import { ok, invalid, type Validated } from '../../core/result.js';
import { AUTHORIZATION_VERSION, type AgreedText } from '../../shared/authorization-text.js';
import { chooseLanguage } from '../../shared/choose-language.js';
import { LANGUAGES, matchLanguage, matchTestLanguage, type Language } from '../../shared/languages.js';
import type { Device } from '../../processor/rules/port.js';

export interface Authorization {
  readonly id: string;
  readonly businessUnit: string;
  readonly customerId?: string;
  /** The text on the page, in the payer's language. */
  readonly text: string;
  /** Ms since the epoch. */
  readonly agreedAt: number;
  /** The payer's browser, for the mandate of later charges. */
  readonly device?: Device;
  /** When the payer or merchant revoked it. Earlier charges stay authorized. */
  readonly revokedAt?: number;
}

export interface Authorizations {
  get(id: string): Promise<Authorization | null>;
  insert(authorization: Authorization): Promise<void>;
  /** Idempotent: keeps the time of the first call. */
  revoke(id: string, now: number): Promise<void>;
  list(businessUnit: string): Promise<Authorization[]>;
}

/** The text that a payer agreed to, and the browser. */
export type Agreement = Pick<Authorization, 'text' | 'device'>;

/** Creates the authorization of a bank payment; null for cards, which need none. */
export function authorizationOf(
  {
    businessUnit,
    customerId,
    method,
  }: Pick<Authorization, 'businessUnit' | 'customerId'> & { method: PaymentMethod },
  agreement: Agreement,
  { now, newId }: TxContext,
): Authorization | null {
  if (method !== 'ACH') return null;
  return { id: newId('aut_'), businessUnit, ...defined({ customerId }), ...agreement, agreedAt: now };
}

/** The languages of a business unit's pages. */
export interface PageLanguages {
  /** The default language. */
  readonly locale?: string | undefined;
  /** Default: all. */
  readonly languages?: readonly Language[] | undefined;
}

/**
 * Checks that the payer saw the current text and returns its language. Pages of older releases send the text itself or
 * nothing: assume the default language.
 *
 * @param chargedBy AutoPay only: who charges now. The config may have changed while the page was open
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
  const textLanguage = matchTestLanguage(tag) ? 'en' : offered;
  if (textLanguage === undefined) return problem('The authorization must name a language of the pages.');
  const isSame = agreed.chargedBy === undefined || agreed.chargedBy === chargedBy;
  return version === AUTHORIZATION_VERSION && isSame
    ? ok(textLanguage)
    : problem('The text of this authorization has changed: reload the page and read it again.');
}

function problem(message: string): Validated<never> {
  return invalid({ field: 'authorization', message });
}
