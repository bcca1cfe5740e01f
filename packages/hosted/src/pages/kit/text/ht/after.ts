import type { AfterText } from '../catalog.js';
import { rest } from './rest.js';

/** What the payment page says in Haitian Creole once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Ap trete…',
  payingStatus: 'N ap trete peman ou a. Tanpri kite paj sa a louvri.',
  declined: 'Yo refize peman ou a. Yo pa pran lajan nan men ou.',
  declinedHint: 'Verifye enfòmasyon yo, oswa sèvi ak yon lòt mwayen peman.',
  attemptsLeft: (count) => `Ou rete ${count} esè.`,
  neverArrived: 'Peman ou a pa rive jwenn nou, epi yo pa pran lajan nan men ou.',
  neverArrivedHint: 'Peze Peye pou w voye l ankò: yo pa ka pran l de fwa.',
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
      `Koneksyon an koupe pandan peman ${amount} ou a t ap voye. N ap mande sèvis la sa ki rive l.`,
    processing: (amount) => `Nou resevwa peman ${amount} ou a epi n ap trete l. Sa ka pran yon ti moman.`,
    offline: 'Nou poko ka jwenn sèvis la. N ap kontinye mande.',
    noRepeat: 'Tanpri pa peye ankò: paj sa a ap montre rezilta a.',
    now: 'Verifye kounye a',
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
      `Sesyon sa a gentan resevwa peman an epi li montre resi a pandan yon jou. Retounen sou ${business} pou wè sa ki peye.`,
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
  returnToStart: 'Retounen kote w te kòmanse a',
  print: 'Enprime',
};

export default { rest, part: after };
