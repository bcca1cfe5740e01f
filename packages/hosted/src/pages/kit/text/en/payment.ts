import { bankDebit } from '../../../../../../service/src/shared/authorization/en.js';
import { shared } from './shared.js';

/** What the payment page says, in English. */
export const payment = {
  ...bankDebit,
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
  pos: (agent: string) => `Taken by ${agent}`,
  posHint: 'You’re entering details for a customer. They can’t be saved.',
};

export default { shared, part: payment };
