/**
 * The words of what payers authorize. The page shows them and the service stores them, each composing the same text from its
 * own figures, so no client can change the stored wording. `authorization/` has them per language.
 */
export interface AuthorizationText {
  readonly accountNumber: (number: string) => string;
  /** A payment from a bank account. */
  readonly bankDebit: {
    readonly bankAccount: string;
    readonly bankEnding: (last4: string) => string;
    readonly achTerms: (business: string, amount: string, account: string, date: string) => string;
  };
  readonly autopay: {
    readonly termsBody: (business: string, account: string) => string;
    readonly termsBodyMerchant: (business: string, account: string) => string;
    readonly limit: string;
  };
  readonly scheduled: {
    readonly terms: (business: string, amount: string, date: string) => string;
  };
}

/** The words of one language, and how it formats what they name. */
export interface Wording {
  readonly text: AuthorizationText;
  /** The business unit's name, isolated. */
  readonly business: string;
  readonly money: (cents: number) => string;
  readonly day: (iso: string) => string;
}

/** `total`: cents, `today`: `YYYY-MM-DD`. Without `last4` the account is not named. */
export function bankDebitText(
  { text: { bankDebit }, business, money, day }: Pick<Wording, 'business' | 'money' | 'day'> & BankDebitWords,
  { total, last4, today }: { total: number; last4: string; today: string },
): string {
  const account = last4.length < 4 ? bankDebit.bankAccount : bankDebit.bankEnding(last4);
  return bankDebit.achTerms(business, money(total), account, day(today));
}

/** `account`: the account's name and number, isolated. */
export function autopayText(
  { text: { autopay }, business }: Pick<Wording, 'business'> & AutopayWords,
  { account, chargedBy }: { account: string; chargedBy: 'service' | 'merchant' },
): string {
  const terms = chargedBy === 'merchant' ? autopay.termsBodyMerchant : autopay.termsBody;
  return `${terms(business, account)} ${autopay.limit}`;
}

/** `amount`: cents, `date`: `YYYY-MM-DD`; each is left out until it is chosen. */
export function scheduledText(
  { text: { scheduled }, business, money, day }: Pick<Wording, 'business' | 'money' | 'day'> & ScheduledWords,
  { amount, date }: { amount: number | null; date: string },
): string {
  return scheduled.terms(business, amount === null ? '' : money(amount), date === '' ? '' : day(date));
}

interface BankDebitWords {
  readonly text: Pick<AuthorizationText, 'bankDebit'>;
}
interface AutopayWords {
  readonly text: Pick<AuthorizationText, 'autopay'>;
}
interface ScheduledWords {
  readonly text: Pick<AuthorizationText, 'scheduled'>;
}

/** Changes with any of the words: a page that shows older ones is refused. */
export const AUTHORIZATION_VERSION = 1;

/** What a page sends with an authorization: which words the payer saw. */
export interface Agreed {
  language: string;
  version: number;
}
