import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in English. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Account ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'my bank account',
  bankEnding: (last4) => `my bank account ending in ${last4}`,
  achTerms: (business, amount, account, date) =>
    `By selecting “Pay,” I authorize ${business} to electronically debit ${account} once for ${amount}, on or after ${date}, and to correct any error with a debit or credit. I can revoke this authorization by contacting ${business} before the payment is sent to my bank.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `I authorize ${business} to charge this payment method the full amount of every bill for ${account} on its due date, until I turn AutoPay off. I can turn it off at any time on ${business}’s AutoPay page or by contacting ${business}. This doesn’t affect payments that have already been sent.`,
  termsBodyMerchant: (business, account) =>
    `I authorize ${business} to charge this payment method the full amount of every bill for ${account} when it is due, until I turn AutoPay off. I can turn it off at any time on ${business}’s AutoPay page or by contacting ${business}. This doesn’t affect payments that have already been sent.`,
  limit: 'Each bill is paid in full, whatever the amount. There is no maximum.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `By scheduling this payment, I authorize ${business} to charge this payment method once${amount && ` for ${amount}`}${date && ` on ${date}`}. I can revoke this authorization before that day by canceling the payment under Scheduled payments.`,
};
