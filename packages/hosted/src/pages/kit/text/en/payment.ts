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
  saveHint: (email: string) => `For later payments by ${email}`,
  bankAccount: 'my bank account',
  bankEnding: (last4: string) => `my bank account ending in ${last4}`,
  achTerms: (business: string, amount: string, account: string, date: string) =>
    `By pressing Pay I authorize ${business} on ${date} to debit ${account} electronically, once, for ${amount}, and to correct a debit made in error. I can revoke this by contacting ${business} until the payment is sent to my bank.`,
  pos: (agent: string) => `Taken by ${agent}`,
  posHint: 'The payer’s details are entered by an agent and cannot be saved.',
};

export default { shared, part: payment };
