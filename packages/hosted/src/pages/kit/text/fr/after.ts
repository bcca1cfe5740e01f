import type { AfterText } from '../catalog.js';
import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in French once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Traitement…',
  payingStatus: 'Votre paiement est en cours de traitement. Gardez cette page ouverte.',
  declined: 'Votre paiement a été refusé. Rien n’a été débité.',
  declinedHint: 'Vérifiez les données ou utilisez un autre mode de paiement.',
  declineAdvice: {
    insufficient_funds: 'Les fonds disponibles ne suffisent pas. Utilisez un autre mode de paiement.',
    card_expired: 'Cette carte a expiré. Vérifiez la date ou utilisez une autre carte.',
    wrong_code: 'Le code de sécurité est incorrect. Vérifiez-le et réessayez.',
    wrong_zip: 'Le code postal ne correspond pas à cette carte. Vérifiez-le et réessayez.',
  },
  attemptsLeft: (count) =>
    plural('fr', count, { one: 'Il reste une tentative.', other: `Il reste ${count} tentatives.` }),
  neverArrived: 'Votre paiement ne nous est pas parvenu et rien n’a été débité.',
  neverArrivedHint: 'Appuyez sur Payer pour le renvoyer\u00a0: il ne peut pas être débité deux fois.',
  tooMany: {
    title: 'Il ne reste aucune tentative',
    body: (business) =>
      `Trop de tentatives de paiement ont été faites, et rien n’a été débité. Revenez chez ${business} et recommencez avec un autre mode de paiement.`,
  },
  unavailable: {
    title: 'Aucun paiement n’est possible ici pour le moment',
    body: (business) => `Rien n’a été débité. Contactez ${business} pour payer autrement.`,
  },
  checking: {
    title: 'Vérification de votre paiement',
    titleProcessing: 'Votre paiement est en cours de traitement',
    dropped: (amount) =>
      `La connexion a été coupée pendant l’envoi de votre paiement de ${amount}. Nous vérifions s’il a abouti.`,
    processing: (amount) =>
      `Votre paiement de ${amount} a été reçu et est en cours de traitement. Cela peut prendre un instant.`,
    offline: 'Le service est toujours injoignable. Nous continuons d’essayer.',
    noRepeat: 'Ne payez pas une seconde fois\u00a0: cette page affichera le résultat.',
    now: 'Vérifier maintenant',
  },
  challenge: {
    title: 'Confirmez votre identité',
    body: (amount) => `Votre banque vous demande de confirmer votre paiement de ${amount}.`,
    frame: 'Confirmation de votre banque',
    cancel: 'Annuler le paiement',
  },
  complete: 'Paiement effectué',
  submitted: 'Paiement transmis',
  completeBody: (business) => `Merci. ${business} a reçu votre paiement.`,
  submittedBody: (business) =>
    `Merci. Votre paiement bancaire à ${business} a été transmis\u00a0; il est en général traité en deux jours ouvrés.`,
  failed: {
    title: 'Le paiement a été rejeté',
    body: (business) =>
      `Votre banque a rejeté ce paiement, qui n’a donc pas abouti. Revenez chez ${business} pour payer de nouveau.`,
  },
  over: {
    title: 'Le reçu n’est plus affiché ici',
    body: (business) =>
      `Le paiement a déjà été effectué et le reçu n’est affiché que pendant un jour. Revenez chez ${business} pour voir ce qui a été payé.`,
  },
  receipt: 'Reçu',
  receiptNumber: 'Numéro de reçu',
  account: 'Compte',
  paidBy: 'Payé par',
  takenBy: 'Saisi par',
  paidOn: 'Payé le',
  submittedOn: 'Transmis le',
  paidWith: 'Payé avec',
  amountPaid: 'Montant payé',
  amountSubmitted: 'Montant transmis',
  methodSaved: 'Ce mode de paiement est enregistré pour la prochaine fois.',
  continueTo: (business) => `Continuer vers ${business}`,
  next: {
    autopay: 'Activer le paiement automatique',
    paperless: 'Passer aux factures électroniques',
  },
  returnToStart: 'Revenir au point de départ',
  emailReceipt: {
    label: 'Adresse e-mail',
    send: 'Recevoir ce reçu par e-mail',
    sent: (address) => `Envoyé à ${address}.`,
    invalid: 'Saisissez une adresse e-mail comme ada@example.com.',
    failed: 'L’envoi a échoué. Réessayez plus tard ou imprimez le reçu.',
  },
  print: 'Imprimer',
};

export default { rest, part: after };
