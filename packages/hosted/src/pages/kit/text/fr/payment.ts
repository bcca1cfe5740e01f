import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in French. */
export const payment: PaymentText = {
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
  bankAccount: 'mon compte bancaire',
  bankEnding: (last4) => `mon compte bancaire se terminant par ${last4}`,
  achTerms: (business, amount, account, date) =>
    `En appuyant sur Payer, j’autorise ${business} à prélever ${amount} par voie électronique sur ${account}, une seule fois, à partir du ${date}, et à corriger tout prélèvement effectué par erreur. Je peux révoquer cette autorisation en contactant ${business} tant que le paiement n’a pas été transmis à ma banque.`,
  pos: (agent) => `Paiement saisi par ${agent}`,
  posHint: 'Les données du payeur sont saisies par un agent et ne peuvent pas être enregistrées.',
};

export default { shared, part: payment };
