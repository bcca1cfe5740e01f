import type { AfterText } from '../catalog.js';
import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in Tagalog once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Pinoproseso…',
  payingStatus: 'Pinoproseso ang iyong bayad. Panatilihing bukas ang page na ito.',
  declined: 'Tinanggihan ang iyong bayad. Hindi ka nasingil.',
  declinedHint: 'Suriin ang mga detalye, o gumamit ng ibang paraan ng pagbabayad.',
  declineAdvice: {
    insufficient_funds: 'Kulang ang pondo. Gumamit ng ibang paraan ng pagbabayad.',
    card_expired: 'Expired na ang card na ito. Suriin ang petsa o gumamit ng ibang card.',
    wrong_code: 'Mali ang security code. Suriin ito at subukang muli.',
    wrong_zip: 'Hindi tugma ang ZIP code sa card na ito. Suriin ito at subukang muli.',
  },
  attemptsLeft: (count) =>
    plural('tl', count, {
      one: `${count} pagsubok na lang ang natitira.`,
      other: `${count} na pagsubok na lang ang natitira.`,
    }),
  neverArrived: 'Hindi umabot sa amin ang iyong bayad, at hindi ka nasingil.',
  neverArrivedHint: 'Pindutin ang Magbayad para ipadala muli: hindi ito masisingil nang dalawang beses.',
  tooMany: {
    title: 'Wala nang natitirang pagsubok',
    body: (business) =>
      `Masyadong maraming beses sinubukang magbayad, at hindi ka nasingil. Bumalik sa ${business} at magsimula muli gamit ang ibang paraan ng pagbabayad.`,
  },
  unavailable: {
    title: 'Hindi makakapagbayad dito ngayon',
    body: (business) => `Hindi ka nasingil. Makipag-ugnayan sa ${business} para magbayad sa ibang paraan.`,
  },
  checking: {
    title: 'Sinusuri ang iyong bayad',
    titleProcessing: 'Pinoproseso ang iyong bayad',
    dropped: (amount) =>
      `Naputol ang koneksyon habang ipinapadala ang bayad mong ${amount}. Sinusuri namin kung natuloy ito.`,
    processing: (amount) =>
      `Natanggap na ang bayad mong ${amount} at pinoproseso ito. Maaaring tumagal nang kaunti.`,
    offline: 'Hindi pa rin kami makakonekta. Patuloy naming susubukan.',
    noRepeat: 'Huwag nang magbayad muli: ipapakita ng page na ito ang resulta.',
    now: 'Suriin ngayon',
  },
  challenge: {
    title: 'Kumpirmahing ikaw ito',
    body: (amount) => `Hinihiling ng iyong bangko na kumpirmahin mo ang bayad mong ${amount}.`,
    frame: 'Kumpirmasyon ng iyong bangko',
    cancel: 'Kanselahin ang bayad',
  },
  complete: 'Nakumpleto ang bayad',
  submitted: 'Naipadala na ang bayad',
  completeBody: (business) => `Salamat. Natanggap na ng ${business} ang iyong bayad.`,
  submittedBody: (business) =>
    `Salamat. Papunta na sa ${business} ang bayad mula sa iyong bangko at karaniwang natatapos sa loob ng dalawang business day.`,
  failed: {
    title: 'Ibinalik ang bayad',
    body: (business) =>
      `Ibinalik ng iyong bangko ang bayad na ito kaya hindi ito natuloy. Bumalik sa ${business} para magbayad muli.`,
  },
  over: {
    title: 'Hindi na ipinapakita rito ang resibo',
    body: (business) =>
      `Natanggap na ang bayad at isang araw lang ipinapakita ang resibo. Bumalik sa ${business} para makita ang nabayaran.`,
  },
  receipt: 'Resibo',
  receiptNumber: 'Numero ng resibo',
  account: 'Account',
  paidBy: 'Nagbayad',
  takenBy: 'Tinanggap ni',
  paidOn: 'Petsa ng bayad',
  submittedOn: 'Petsa ng pagpapadala',
  paidWith: 'Paraan ng pagbabayad',
  amountPaid: 'Halagang binayaran',
  amountSubmitted: 'Halagang ipinadala',
  methodSaved: 'Nai-save ang paraan ng pagbabayad na ito para sa susunod.',
  continueTo: (business) => `Magpatuloy sa ${business}`,
  next: {
    autopay: 'I-on ang AutoPay',
    paperless: 'Mag-paperless',
  },
  returnToStart: 'Bumalik sa pinagsimulan',
  emailReceipt: {
    label: 'Email address',
    send: 'I-email ang resibong ito',
    sent: (address) => `Naipadala sa ${address}.`,
    invalid: 'Maglagay ng email address gaya ng ada@example.com.',
    failed: 'Hindi ito naipadala. Subukan muli mamaya, o i-print ang resibo.',
  },
  print: 'I-print',
};

export default { rest, part: after };
