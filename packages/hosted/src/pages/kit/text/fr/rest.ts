import type { RestText } from '../catalog.js';
import { plural } from '../plural.js';

/** What hosted pages say besides, and no first form of a payment, in French. */
export const rest: RestText = {
  common: {
    held: 'Votre paiement est en cours de traitement.',
    cancel: 'Annuler',
    close: 'Fermer',
    done: 'Terminer',
    leavePayment: 'Quitter ce paiement\u00a0?',
    leaveUnsaved: 'Quitter sans enregistrer\u00a0?',
    leaveHint: 'Ce que vous avez saisi ne sera pas conservé.',
    stay: 'Rester',
    leave: 'Quitter',
    tryAgain: 'Réessayer',
    startAgain: 'Recommencer',
    privacyManage: (business) => `Page fournie par le service de paiement de ${business}.`,
    endsSoon: (minutes) =>
      plural('fr', minutes, {
        one: 'Cette session se termine dans moins d’une minute.',
        other: `Cette session se termine dans ${minutes} minutes.`,
      }),
    youMayClose: 'C’est fait. Vous pouvez fermer cette page.',
    errorsTitle: (count) =>
      plural('fr', count, { one: 'Un point est à vérifier', other: `${count} points sont à vérifier` }),
    allSet: 'C’est fait',
    allSetBody: 'Vos modifications sont enregistrées.',
    backToManage: 'Faire une autre modification',
  },
  problem: {
    expired: {
      title: 'Cette session a expiré',
      body: (business) =>
        `Pour votre sécurité, elle ne reste ouverte qu’un temps limité. Revenez chez ${business} et recommencez pour en obtenir une nouvelle.`,
    },
    canceled: {
      title: 'Cette session a été annulée',
      body: (business) =>
        `${business} l’a fermée. Rien n’a été débité. Revenez chez ${business} pour voir ce qu’il reste à faire.`,
    },
    unauthorized: {
      title: 'Ce lien est incomplet',
      body: (business) =>
        `Une partie manque ou a été modifiée. Revenez chez ${business} et ouvrez-le de nouveau.`,
    },
    unreachable: {
      title: 'Le service de paiement est injoignable',
      body: 'Vérifiez votre connexion et réessayez.',
    },
    broken: {
      title: 'Un problème est survenu de notre côté',
      body: 'Réessayez dans un instant.',
    },
    notAllowed: {
      title: 'Cette page a été ouverte depuis un site non autorisé',
      body: (origin) =>
        `Revenez en arrière et recommencez. Si c’est votre site, ajoutez ${origin} aux origines autorisées de l’unité commerciale.`,
    },
    silentFrame: {
      title: 'Cette page n’a pas été ouverte correctement',
      body: 'La page qui l’entoure n’a pas répondu. Revenez en arrière et recommencez. Si c’est votre site, ouvrez la session avec le SDK, depuis l’une des origines autorisées.',
    },
  },
  failure: {
    unreachable:
      'La connexion a été coupée. Vérifiez-la et réessayez\u00a0: l’opération ne sera pas effectuée deux fois.',
    internal:
      'Un problème est survenu de notre côté. Réessayez dans un instant\u00a0: l’opération ne sera pas effectuée deux fois.',
    conflict: 'La situation a changé entre-temps et l’opération n’a pas abouti. Rechargez la page.',
    tooMany: 'Vous avez fait beaucoup de changements en peu de temps. Attendez une minute et réessayez.',
    notFound: 'Cet élément n’existe plus. Rechargez la page.',
    invalid: 'Le service n’a pas accepté ces données. Vérifiez votre saisie.',
    unavailable:
      'Aucun mode de paiement ne peut être ajouté ni utilisé ici pour le moment, et rien n’a été débité.',
    noProcessor: 'Le paiement en ligne n’est pas encore disponible ici.',
  },
  method: {
    usedByAutopay: 'Utilisé par le paiement automatique',
    usedByScheduled: 'Utilisé par un paiement programmé',
    country: 'Pays ou région',
    postcode: 'Code postal',
    accountType: 'Type de compte',
    checking: 'Compte courant',
    savings: 'Compte d’épargne',
    holder: 'Titulaire du compte',
    routing: 'Numéro de routage (ABA)',
    routingHint: '9 chiffres, en bas à gauche d’un chèque',
    accountNumber: 'Numéro de compte bancaire',
    accountBack: (number) => `Vérifiez\u00a0: ${number}`,
    none: 'Aucun mode de paiement disponible',
    noneBody: (business) =>
      `Les modes de paiement prévus ne sont pas proposés ici. Contactez ${business} pour payer autrement.`,
  },
  invalid: {
    required: (label) => `Remplissez ce champ\u00a0: ${label}.`,
    cardShort: 'Le numéro de carte est incomplet.',
    cardNumber: 'Ce numéro de carte n’est pas valide. Vérifiez les chiffres.',
    expiry: 'Saisissez le mois et l’année au format MM\u00a0/\u00a0AA.',
    expiryPast: 'Cette carte a expiré.',
    securityCode: (digits) => `Saisissez les ${digits} chiffres du code de sécurité.`,
    zip: 'Saisissez un code postal de 5 ou 9 chiffres.',
    postcode: 'Saisissez le code postal tel qu’il s’écrit dans ce pays.',
    routing: 'Ce numéro de routage n’est pas valide. Vérifiez ses 9 chiffres.',
    bankAccount: 'Saisissez un numéro de compte de 4 à 17 chiffres.',
    amount: 'Saisissez un montant, par exemple 25,00.',
    amountRange: (min, max) => `Saisissez un montant de ${min} à ${max}.`,
    nothingChosen: 'Choisissez au moins un compte à payer.',
    noMethod: 'Choisissez un mode de paiement.',
    date: 'Choisissez une date.',
    dateRange: (from, to) => `Choisissez une date du ${from} au ${to}.`,
    terms: 'Acceptez les conditions pour continuer.',
    phone: 'Saisissez un numéro de téléphone avec l’indicatif régional.',
    phoneNeeded: 'Un numéro de téléphone est nécessaire pour les SMS.',
    tooLong: 'Ce texte est trop long.',
    methodRemoved: 'Ce mode de paiement a été supprimé. Choisissez-en un autre.',
    methodNotOffered: 'Ce mode de paiement n’est pas proposé ici. Choisissez-en un autre.',
    notAccepted: 'Cela n’a pas été accepté. Vérifiez, ou utilisez un autre mode de paiement.',
  },
  account: {
    balance: 'Solde',
    issued: 'Émise le',
    phone: 'Téléphone',
    address: 'Adresse',
  },
};
