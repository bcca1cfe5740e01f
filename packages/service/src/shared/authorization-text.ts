/**
 * What payers authorize. The page shows it and the service stores it, each composing the same text from its own figures, so no
 * client can change the stored wording.
 */
import type { Texts } from './texts.js';

/** The texts of one language, and its formats for their arguments. */
export interface Wording {
  readonly text: Texts['authorization'];
  /** The business unit's name, isolated. */
  readonly business: string;
  readonly money: (cents: number) => string;
  readonly day: (iso: string) => string;
}

/** `total`: cents, `today`: `YYYY-MM-DD`. Without `last4` the account is not named. */
export function bankDebitText(
  { text, business, money, day }: Wording,
  { total, last4, today }: { total: number; last4: string; today: string },
): string {
  return last4.length < 4
    ? text.bankDebit(business, money(total), day(today))
    : text.bankDebitEnding(business, money(total), last4, day(today));
}

/** `account`: the account's name and number, isolated. */
export function autopayText(
  { text, business }: Pick<Wording, 'text' | 'business'>,
  { account, chargedBy }: { account: string; chargedBy: 'service' | 'merchant' },
): string {
  const terms = chargedBy === 'merchant' ? text.autopayMerchant : text.autopay;
  return terms(business, account);
}

/** `amount`: cents, `date`: `YYYY-MM-DD`. Names neither until both are chosen. */
export function scheduledText(
  { text, business, money, day }: Wording,
  { amount, date }: { amount: number | null; date: string },
): string {
  return amount === null || date === ''
    ? text.scheduledLater(business)
    : text.scheduled(business, money(amount), day(date));
}

/** Increment it with every change of a text: a page that shows an older text is refused. */
export const AUTHORIZATION_VERSION = 2;

/** What a page sends with an authorization: which text the payer saw. */
export interface Agreed {
  language: string;
  version: number;
  /** For AutoPay: who charges, according to the text. */
  chargedBy?: 'service' | 'merchant';
}
