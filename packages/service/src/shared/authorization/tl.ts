import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Tagalog. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Account ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'aking bank account',
  bankEnding: (last4) => `aking bank account na nagtatapos sa ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Sa pagpindot sa Magbayad, pinahihintulutan ko ang ${business} na mag-debit nang elektroniko at isang beses lang ng ${amount} mula sa ${account} sa ${date} o pagkatapos nito, at itama ang anumang maling debit. Maaari kong bawiin ang pahintulot na ito sa pakikipag-ugnayan sa ${business} bago maipadala ang bayad sa aking bangko.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Pinahihintulutan ko ang ${business} na singilin ang paraan ng pagbabayad na ito para sa bawat bill ng ${account} sa takdang petsa nito, hanggang sa i-off ko ang AutoPay. Maaari ko itong i-off anumang oras sa AutoPay page ng ${business} o sa pakikipag-ugnayan sa ${business}; hindi apektado ang mga bayad na naipadala na.`,
  termsBodyMerchant: (business, account) =>
    `Pinahihintulutan ko ang ${business} na singilin ang paraan ng pagbabayad na ito para sa bawat bill ng ${account} kapag dapat na itong bayaran, hanggang sa i-off ko ang AutoPay. Maaari ko itong i-off anumang oras sa AutoPay page ng ${business} o sa pakikipag-ugnayan sa ${business}; hindi apektado ang mga bayad na naipadala na.`,
  limit: 'Binabayaran nang buo ang bawat bill, magkano man ito. Walang maximum na halaga.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Sa pag-iskedyul ng bayad na ito, pinahihintulutan ko ang ${business} na singilin nang isang beses ang paraan ng pagbabayad na ito${amount && ` ng ${amount}`}${date && ` sa ${date}`}. Maaari kong bawiin ang pahintulot na ito bago ang araw na iyon sa pagkansela ng bayad sa Mga naka-iskedyul na bayad.`,
};
