import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Tagalog. */
export const payment: PaymentText = {
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
  bankAccount: 'aking bank account',
  bankEnding: (last4) => `aking bank account na nagtatapos sa ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Sa pagpindot sa Magbayad, pinahihintulutan ko ang ${business} na mag-debit nang elektroniko at isang beses lang ng ${amount} mula sa ${account} sa ${date} o pagkatapos nito, at itama ang anumang maling debit. Maaari kong bawiin ang pahintulot na ito sa pakikipag-ugnayan sa ${business} bago maipadala ang bayad sa aking bangko.`,
  pos: (agent) => `Tinanggap ni ${agent}`,
  posHint: 'Isang ahente ang naglalagay ng mga detalye ng nagbabayad at hindi ito maaaring i-save.',
};

export default { shared, part: payment };
