import { accountNumber } from '../../../../../../service/src/shared/authorization/tl.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Tagalog. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Pagbabayad sa pamamagitan ng ${operator}`,
    terms: 'Mga tuntunin',
    privacyPolicy: 'Privacy',
    help: 'Tulong',
    accountNumber,
    optional: 'Opsyonal',
    backTo: (business) => `Bumalik sa ${business}`,
    working: 'Sandali lang…',
    privacy: (business) =>
      `Direktang napupunta ang iyong mga detalye sa serbisyo sa pagbabayad. Hindi nakikita ng ${business} ang buong numero ng iyong card o bank account.`,
  },
  method: {
    legend: 'Paraan ng pagbabayad',
    card: 'Card',
    bank: 'Bank account',
    newCard: 'Bagong card',
    newBank: 'Bagong bank account',
    savedCard: (brand, last4) => `${brand} na nagtatapos sa ${last4}`,
    savedBank: (last4) => `Bank account na nagtatapos sa ${last4}`,
    unnamedCard: 'Card',
    expires: (expiry) => `Mag-e-expire sa ${expiry}`,
    expiredOn: (expiry) => `Nag-expire noong ${expiry}`,
    isDefault: 'Default',
    cardNumber: 'Numero ng card',
    expiry: 'Petsa ng pag-expire',
    expiryHint: 'MM / YY',
    securityCode: 'Security code',
    securityCodeHint: '3 numero sa likod',
    securityCodeHintAmex: '4 na numero sa harap',
    nameOnCard: 'Pangalan sa card',
    zip: 'ZIP code',
    blocked: 'Hindi pinapayagan ng bangko na singilin ang account na ito. Pumili ng iba.',
  },
  account: {
    due: 'Takdang petsa',
    note: 'Tala',
    details: 'Mga detalye',
  },
};
