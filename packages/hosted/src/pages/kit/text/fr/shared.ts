import { accountNumber } from '../../../../../../service/src/shared/authorization/fr.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in French. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Paiements assurés par ${operator}`,
    terms: 'Conditions',
    privacyPolicy: 'Confidentialité',
    help: 'Aide',
    accountNumber,
    optional: 'Facultatif',
    backTo: (business) => `Retour à ${business}`,
    working: 'Un instant…',
    privacy: (business) =>
      `Vos données vont directement au service de paiement. ${business} ne voit ni votre numéro de carte complet ni votre numéro de compte bancaire.`,
  },
  method: {
    legend: 'Mode de paiement',
    card: 'Carte',
    bank: 'Compte bancaire',
    newCard: 'Nouvelle carte',
    newBank: 'Nouveau compte bancaire',
    savedCard: (brand, last4) => `${brand} se terminant par ${last4}`,
    savedBank: (last4) => `Compte bancaire se terminant par ${last4}`,
    unnamedCard: 'Carte',
    expires: (expiry) => `Expire en ${expiry}`,
    expiredOn: (expiry) => `Expirée depuis ${expiry}`,
    isDefault: 'Par défaut',
    cardNumber: 'Numéro de carte',
    expiry: 'Date d’expiration',
    expiryHint: 'MM / AA',
    securityCode: 'Code de sécurité',
    securityCodeHint: '3 chiffres au dos',
    securityCodeHintAmex: '4 chiffres au recto',
    nameOnCard: 'Nom sur la carte',
    zip: 'Code postal (ZIP)',
    blocked: 'La banque n’autorise pas de prélèvement sur ce compte. Choisissez-en un autre.',
  },
  account: {
    due: 'Échéance',
    note: 'Note',
    details: 'Détails',
  },
};
