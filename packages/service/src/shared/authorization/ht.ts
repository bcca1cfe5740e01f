import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Haitian Creole. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Kont ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'kont labank mwen',
  bankEnding: (last4) => `kont labank mwen ki fini ak ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Lè m peze Peye, mwen otorize ${business} pou l retire ${amount} nan ${account} pa mwayen elektwonik, yon sèl fwa, nan dat ${date} oswa apre, epi pou l korije nenpòt retrè ki fèt pa erè. Mwen ka revoke otorizasyon sa a si m kontakte ${business} anvan yo voye peman an bay bank mwen.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Mwen otorize ${business} pou l pran lajan nan mwayen peman sa a pou chak fakti ${account} nan dat limit li, jiskaske mwen dezaktive peman otomatik la. Mwen ka dezaktive l nenpòt lè sou paj peman otomatik ${business} la oswa si m kontakte ${business}; sa pa chanje peman yo deja voye yo.`,
  termsBodyMerchant: (business, account) =>
    `Mwen otorize ${business} pou l pran lajan nan mwayen peman sa a pou chak fakti ${account} lè li dwe peye, jiskaske mwen dezaktive peman otomatik la. Mwen ka dezaktive l nenpòt lè sou paj peman otomatik ${business} la oswa si m kontakte ${business}; sa pa chanje peman yo deja voye yo.`,
  limit: 'Yo peye chak fakti nèt, kèlkeswa montan li. Pa gen montan maksimòm.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Lè m pwograme peman sa a, mwen otorize ${business} pou l pran lajan nan mwayen peman sa a yon sèl fwa${amount && `: ${amount}`}${date && `, jou ${date}`}. Mwen ka revoke otorizasyon sa a anvan jou sa a si m anile peman an nan paj Peman pwograme.`,
};
