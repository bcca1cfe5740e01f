import { accountNumber } from '../../../../../../service/src/shared/authorization/ht.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Haitian Creole. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Peman pa ${operator}`,
    terms: 'Kondisyon',
    privacyPolicy: 'Konfidansyalite',
    help: 'Èd',
    accountNumber,
    optional: 'Si ou vle',
    backTo: (business) => `Retounen sou ${business}`,
    working: 'Yon ti moman…',
    privacy: (business) =>
      `Enfòmasyon ou yo ale dirèkteman nan sèvis peman an. ${business} pa wè tout nimewo kat ou ni tout nimewo kont labank ou.`,
  },
  method: {
    legend: 'Mwayen peman',
    card: 'Kat',
    bank: 'Kont labank',
    newCard: 'Nouvo kat',
    newBank: 'Nouvo kont labank',
    savedCard: (brand, last4) => `${brand} ki fini ak ${last4}`,
    savedBank: (last4) => `Kont labank ki fini ak ${last4}`,
    unnamedCard: 'Kat',
    expires: (expiry) => `Bon jiska ${expiry}`,
    expiredOn: (expiry) => `Te ekspire ${expiry}`,
    isDefault: 'Prensipal',
    cardNumber: 'Nimewo kat',
    expiry: 'Dat ekspirasyon',
    expiryHint: 'MM / AA',
    securityCode: 'Kòd sekirite',
    securityCodeHint: '3 chif dèyè kat la',
    securityCodeHintAmex: '4 chif devan kat la',
    nameOnCard: 'Non ki sou kat la',
    zip: 'Kòd postal (ZIP)',
    blocked: 'Labank lan pa pèmèt yo pran lajan nan kont sa a. Chwazi yon lòt.',
  },
  account: {
    due: 'Dat limit',
    note: 'Nòt',
    details: 'Detay',
  },
};
