import { shared } from './shared.js';

/** What the payment page says, in English. */
export const payment = {
  title: (business: string) => `Pay ${business}`,
  summary: 'Summary',
  total: 'Total',
  charge: 'Payment',
  chooseAccounts: 'Choose what to pay',
  selectAll: 'Select all',
  selectNone: 'Select none',
  chosen: (count: number, of: number) => `${count} of ${of} selected`,
  amountFor: (account: string) => `Amount for ${account}`,
  upTo: (max: string) => `Up to ${max}`,
  reference: 'Reference',
  paymentDetails: 'Payment details',
  pay: (amount: string) => `Pay ${amount}`,
  payPlain: 'Pay',
  notCharged: 'Nothing was charged.',
  save: 'Save this payment method',
  saveHint: (email: string) => `Saved for ${email} to use next time`,
  bankAccount: 'my bank account',
  bankEnding: (last4: string) => `my bank account ending in ${last4}`,
  achTerms: (business: string, amount: string, account: string, date: string) =>
    `By selecting “Pay,” I authorize ${business} to electronically debit ${account} once for ${amount}, on or after ${date}, and to correct any error with a debit or credit. I can revoke this authorization by contacting ${business} before the payment is sent to my bank.`,
  pos: (agent: string) => `Taken by ${agent}`,
  posHint: 'You’re entering details for a customer. They can’t be saved.',
};

export default { shared, part: payment };
