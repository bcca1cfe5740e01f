/**
 * Authorization texts. The page shows the text and the service stores it. Each composes it from its own data, so no
 * client can change the stored wording.
 */
import type { Texts } from './texts.generated.js';

/** The texts of one language, and the formats of their arguments. */
export interface Wording {
  readonly text: Texts['authorization'];
  /** The business unit's name, isolated. */
  readonly business: string;
  readonly money: (cents: number) => string;
  readonly day: (iso: string) => string;
}

/** `total`: formatted, `today`: `YYYY-MM-DD`. Omits the account if `last4` is empty. */
export function bankDebitText(
  { text, business, day }: Omit<Wording, 'money'>,
  { total, last4, today }: { total: string; last4: string; today: string },
): string {
  return last4.length < 4
    ? text.bankDebit(business, total, day(today))
    : text.bankDebitEnding(business, total, last4, day(today));
}

/** `account`: the account's name and number, isolated. */
export function autopayText(
  { text, business }: Pick<Wording, 'text' | 'business'>,
  { account, chargedBy }: { account: string; chargedBy: 'service' | 'merchant' },
): string {
  const terms = chargedBy === 'merchant' ? text.autopayMerchant : text.autopay;
  return terms(business, account);
}

/** `amount`: cents, `date`: `YYYY-MM-DD`. Omits both until both are chosen. */
export function scheduledText(
  { text, business, money, day }: Wording,
  { amount, date }: { amount: number | null; date: string },
): string {
  return amount === null || date === ''
    ? text.scheduledLater(business)
    : text.scheduled(business, money(amount), day(date));
}

/** Increment with every change to a text: requests from pages that show an older text are refused. */
export const AUTHORIZATION_VERSION = 3;

/** Identifies the text that the payer saw and agreed to. */
export interface AgreedText {
  language: string;
  version: number;
  /** `terms` of the session as the page received it. */
  terms?: string | undefined;
}
