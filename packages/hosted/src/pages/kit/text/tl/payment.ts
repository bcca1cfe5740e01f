import { bankDebit } from '../../../../../../service/src/shared/authorization/tl.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Tagalog. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `Bayaran ang ${business}`,
  summary: 'Buod',
  total: 'Kabuuan',
  charge: 'Bayad',
  chooseAccounts: 'Piliin ang babayaran',
  selectAll: 'Piliin ang lahat',
  selectNone: 'Alisin ang lahat ng pinili',
  chosen: (count, of) => `${count} sa ${of} ang napili`,
  amountFor: (account) => `Halaga para sa ${account}`,
  upTo: (max) => `Hanggang ${max}`,
  reference: 'Reference',
  paymentDetails: 'Mga detalye ng bayad',
  pay: (amount) => `Magbayad ng ${amount}`,
  payPlain: 'Magbayad',
  notCharged: 'Walang nasingil.',
  save: 'I-save ang paraan ng pagbabayad na ito',
  saveHint: (email) => `Para sa mga susunod na bayad ni ${email}`,
  pos: (agent) => `Tinanggap ni ${agent}`,
  posHint: 'Isang ahente ang naglalagay ng mga detalye ng nagbabayad at hindi ito maaaring i-save.',
};

export default { shared, part: payment };
