import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in French. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Compte ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'mon compte bancaire',
  bankEnding: (last4) => `mon compte bancaire se terminant par ${last4}`,
  achTerms: (business, amount, account, date) =>
    `En appuyant sur Payer, j’autorise ${business} à prélever ${amount} par voie électronique sur ${account}, une seule fois, à partir du ${date}, et à corriger tout prélèvement effectué par erreur. Je peux révoquer cette autorisation en contactant ${business} tant que le paiement n’a pas été transmis à ma banque.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `J’autorise ${business} à débiter ce mode de paiement du montant de chaque facture de ${account} à sa date d’échéance, jusqu’à ce que je désactive le paiement automatique. Je peux le désactiver à tout moment sur la page de paiement automatique de ${business} ou en contactant ${business}\u00a0; les paiements déjà transmis ne sont pas concernés.`,
  termsBodyMerchant: (business, account) =>
    `J’autorise ${business} à débiter ce mode de paiement du montant de chaque facture de ${account} lorsqu’elle est due, jusqu’à ce que je désactive le paiement automatique. Je peux le désactiver à tout moment sur la page de paiement automatique de ${business} ou en contactant ${business}\u00a0; les paiements déjà transmis ne sont pas concernés.`,
  limit:
    'Chaque facture est payée en entier, quel que soit son montant\u00a0: il n’y a pas de montant maximal.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `En programmant ce paiement, j’autorise ${business} à débiter ce mode de paiement une seule fois${amount && `, d’un montant de ${amount}`}${date && `, le ${date}`}. Je peux révoquer cette autorisation avant cette date en annulant le paiement dans «\u00a0Paiements programmés\u00a0».`,
};
