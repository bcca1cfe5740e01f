import { accountNumber } from '../../../../../../service/src/shared/authorization/en.js';
/** What every hosted page says, in English. Names and amounts come in formatted. */
export const shared = {
  common: {
    operatedBy: (operator: string) => `Payments by ${operator}`,
    terms: 'Terms',
    privacyPolicy: 'Privacy',
    help: 'Help',
    accountNumber,
    optional: 'Optional',
    backTo: (business: string) => `Back to ${business}`,
    working: 'One moment…',
    privacy: (business: string) =>
      `Your details go straight to the payment service. ${business} does not see your card or account number.`,
  },
  method: {
    legend: 'Payment method',
    card: 'Card',
    bank: 'Bank account',
    newCard: 'New card',
    newBank: 'New bank account',
    savedCard: (brand: string, last4: string) => `${brand} ending in ${last4}`,
    savedBank: (last4: string) => `Bank account ending in ${last4}`,
    unnamedCard: 'Card',
    expires: (expiry: string) => `Expires ${expiry}`,
    expiredOn: (expiry: string) => `Expired ${expiry}`,
    isDefault: 'Default',
    cardNumber: 'Card number',
    expiry: 'Expiry date',
    expiryHint: 'MM / YY',
    securityCode: 'Security code',
    securityCodeHint: '3 digits on the back',
    securityCodeHintAmex: '4 digits on the front',
    nameOnCard: 'Name on card',
    zip: 'ZIP code',
    blocked: 'The bank does not allow this account to be charged. Choose another.',
  },
  account: {
    due: 'Due',
    note: 'Note',
    details: 'Details',
  },
};
