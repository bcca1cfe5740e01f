/** A payer's authorization of a bank debit. The service composes its text. */
import { defined } from '../../core/defined.js';
import { ok, invalid, type Validated } from '../../core/result.js';
import { AUTHORIZATION_VERSION, type AgreedText } from '../../shared/authorization-text.js';
import { dayIn } from '../../core/day.js';
import type { AutopayPageSession, ReceiptAccount, FieldReason } from '../../shared/page.js';
import {
  LANGUAGES,
  matchLanguage,
  matchTestLanguage,
  type Language,
  chooseLanguage,
} from '../../shared/languages.js';
import type { Device } from '../../processor/rules/port.js';

/** With the payer's browser, for the mandate of later charges. */
export interface Authorization extends Device {
  readonly id: string;
  readonly businessUnit: string;
  readonly customerId?: string;
  /** The text on the page, in the payer's language. */
  readonly text: string;
  readonly agreedAt: number;
  /** When the payer or merchant revoked it. Earlier charges stay authorized. */
  readonly revokedAt?: number;
}

export interface Authorizations {
  get(id: string): Promise<Authorization | null>;
  insert(authorization: Authorization): Promise<unknown>;
  /** Idempotent: keeps the time of the first call. */
  revoke(id: string, now: number): Promise<unknown>;
  list(businessUnit: string): Promise<Authorization[]>;
}

export interface PageLanguages {
  readonly locale?: string | undefined;
  /** Default: all. */
  readonly languages?: readonly Language[] | undefined;
}

/** What a text says besides the payer's choices. */
export interface Terms {
  readonly business: string;
}

export interface DebitTerms extends Terms {
  readonly today: string;
}

export interface AutopayTerms extends Terms {
  readonly chargedBy: AutopayPageSession['chargedBy'];
  readonly account: ReceiptAccount;
}

export function debitTerms(
  { name, timeZone }: { readonly name: string; readonly timeZone: string },
  now: number,
): DebitTerms {
  return { business: name, today: dayIn(now, timeZone) };
}

export function autopayTerms(
  { name, autopay }: { readonly name: string; readonly autopay: AutopayTerms['chargedBy'] },
  account: ReceiptAccount,
): AutopayTerms {
  const { accountNumber, subAccountNumber, name: accountName } = account;
  return {
    business: name,
    chargedBy: autopay,
    account: { accountNumber, subAccountNumber, ...defined({ name: accountName }) },
  };
}

/** Identifies terms. Pages return the id of the terms that they showed. */
export function termsId(terms: Terms): string {
  return JSON.stringify(terms);
}

/**
 * Checks that the payer saw a current text. Returns its language and terms. Pages of older releases send the text itself or
 * nothing: assume the default language and the first terms.
 *
 * @param current the terms that the page may show; they change with the config, the account and the day
 */
export function checkAgreed<T extends Terms>(
  input: Record<string, unknown>,
  { locale: configured, languages = LANGUAGES }: PageLanguages,
  ...current: readonly [T, ...T[]]
): Validated<{ readonly language: Language; readonly terms: T }> {
  const { authorization = null } = input;
  if (authorization === null || typeof authorization === 'string')
    return ok({ language: chooseLanguage({ configured, offered: languages }), terms: current[0] });

  const agreed = Object(authorization) as Partial<Record<keyof AgreedText, unknown>>;
  const { language, version } = agreed;
  const tag = typeof language === 'string' ? language : '';
  const matched = matchLanguage(tag);
  const offered = languages.find((each) => each === matched);
  // Texts of test languages are English.
  const textLanguage = matchTestLanguage(tag)
    ? chooseLanguage({ requested: 'en', configured, offered: languages })
    : offered;
  if (textLanguage === undefined) return problem('The authorization must name a language of the pages.');
  // During an upgrade, a process of release 0.3 may have answered a new page, without terms.
  const terms =
    agreed.terms === undefined ? current[0] : current.find((each) => termsId(each) === agreed.terms);
  if (version !== AUTHORIZATION_VERSION)
    return problem('This page is out of date: reload it and read the authorization again.', 'page_outdated');
  return terms
    ? ok({ language: textLanguage, terms })
    : problem('The terms of this authorization have changed: read it again.', 'terms_changed');
}

function problem(message: string, reason?: FieldReason): Validated<never> {
  return invalid({ field: 'authorization', message, ...defined({ reason }) });
}
