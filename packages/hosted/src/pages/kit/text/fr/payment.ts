import { bankDebit } from '../../../../../../service/src/shared/authorization/fr.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in French. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `Payer ${business}`,
  summary: 'Récapitulatif',
  total: 'Total',
  charge: 'Paiement',
  chooseAccounts: 'Choisissez ce que vous souhaitez payer',
  selectAll: 'Tout sélectionner',
  selectNone: 'Tout désélectionner',
  chosen: (count, of) => `Sélection\u00a0: ${count} sur ${of}`,
  amountFor: (account) => `Montant pour ${account}`,
  upTo: (max) => `Jusqu’à ${max}`,
  reference: 'Référence',
  paymentDetails: 'Détails du paiement',
  pay: (amount) => `Payer ${amount}`,
  payPlain: 'Payer',
  notCharged: 'Rien n’a été débité.',
  save: 'Enregistrer ce mode de paiement',
  saveHint: (email) => `Pour les prochains paiements de ${email}`,
  pos: (agent) => `Paiement saisi par ${agent}`,
  posHint: 'Les données du payeur sont saisies par un agent et ne peuvent pas être enregistrées.',
};

export default { shared, part: payment };
