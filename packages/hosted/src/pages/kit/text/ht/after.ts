import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Haitian Creole once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Ap trete…',
  payingStatus: 'N ap trete peman ou a. Tanpri kite paj sa a louvri.',
  declined: 'Yo refize peman ou a. Yo pa pran lajan nan men ou.',
  declinedHint: 'Verifye enfòmasyon yo, oswa sèvi ak yon lòt mwayen peman.',
  declineAdvice: {
    insufficient_funds: 'Pa gen ase lajan disponib. Itilize yon lòt mwayen peman.',
    card_expired: 'Kat sa a ekspire. Verifye dat la oswa itilize yon lòt kat.',
    wrong_code: 'Kòd sekirite a pa kòrèk. Verifye l epi eseye ankò.',
    wrong_zip: 'Kòd postal la pa koresponn ak kat sa a. Verifye l epi eseye ankò.',
  },
  attemptsLeft: (count) => `Ou ka eseye ${count} fwa ankò.`,
  neverArrived: 'Peman ou a pa rive jwenn nou, epi yo pa pran lajan nan men ou.',
  neverArrivedHint: 'Peze Peye pou w voye l ankò: yo p ap pran lajan an de fwa.',
  tooMany: {
    title: 'Pa rete okenn esè',
    body: (business) =>
      `Ou eseye peye twòp fwa, epi yo pa pran lajan nan men ou. Retounen sou ${business} epi rekòmanse ak yon lòt mwayen peman.`,
  },
  unavailable: {
    title: 'Ou pa ka peye isit la kounye a',
    body: (business) => `Yo pa pran lajan nan men ou. Kontakte ${business} pou w peye yon lòt jan.`,
  },
  checking: {
    title: 'N ap verifye peman ou a',
    titleProcessing: 'N ap trete peman ou a',
    dropped: (amount) =>
      `Koneksyon an koupe pandan nou t ap voye peman ${amount} ou a. N ap verifye si l pase.`,
    processing: (amount) => `Nou resevwa peman ${amount} ou a epi n ap trete l. Sa ka pran yon ti moman.`,
    offline: 'Nou poko ka konekte. N ap kontinye eseye.',
    noRepeat: 'Tanpri pa peye ankò: paj sa a ap montre rezilta a.',
    now: 'Verifye kounye a',
  },
  challenge: {
    title: 'Konfime se ou menm',
    body: (amount) => `Bank ou a mande w konfime peman ${amount} ou a.`,
    frame: 'Konfimasyon bank ou a',
    cancel: 'Anile peman an',
  },
  complete: 'Peman an fèt',
  submitted: 'Peman an voye',
  completeBody: (business) => `Mèsi. ${business} resevwa peman ou a.`,
  submittedBody: (business) =>
    `Mèsi. Peman labank ou bay ${business} sou wout; dabitid li fini nan de jou travay.`,
  failed: {
    title: 'Yo retounen peman an',
    body: (business) =>
      `Bank ou a retounen peman sa a, kidonk li pa fèt. Retounen sou ${business} pou w peye ankò.`,
  },
  over: {
    title: 'Resi a pa parèt isit la ankò',
    body: (business) =>
      `Peman an gentan fèt epi resi a parèt pandan yon sèl jou. Retounen sou ${business} pou wè sa ki peye.`,
  },
  receipt: 'Resi',
  receiptNumber: 'Nimewo resi',
  account: 'Kont',
  paidBy: 'Moun ki peye',
  takenBy: 'Moun ki pran peman an',
  paidOn: 'Dat peman',
  submittedOn: 'Dat voye',
  paidWith: 'Peye ak',
  amountPaid: 'Montan ki peye',
  amountSubmitted: 'Montan ki voye',
  methodSaved: 'Mwayen peman sa a anrejistre pou pwochen fwa.',
  continueTo: (business) => `Kontinye sou ${business}`,
  next: {
    autopay: 'Aktive peman otomatik',
    paperless: 'Pase nan fakti elektwonik',
  },
  returnToStart: 'Retounen kote w te kòmanse a',
  emailReceipt: {
    label: 'Adrès imel',
    send: 'Voye resi sa a pa imel',
    sent: (address) => `Nou voye l bay ${address}.`,
    invalid: 'Antre yon adrès imel tankou ada@example.com.',
    failed: 'Nou pa t ka voye l. Eseye ankò pita, oswa enprime l.',
  },
  print: 'Enprime',
};

export default { rest, part: after };
