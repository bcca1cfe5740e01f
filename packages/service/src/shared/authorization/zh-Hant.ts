import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Traditional Chinese. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `帳戶 ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: '我的銀行帳戶',
  bankEnding: (last4) => `我末四碼為 ${last4} 的銀行帳戶`,
  achTerms: (business, amount, account, date) =>
    `按下「付款」即表示我授權 ${business} 於 ${date} 當日或之後以電子方式從${account}扣款一次，金額為 ${amount}，並授權其更正任何誤扣款項。在付款送至我的銀行之前，我可以聯絡 ${business} 撤銷此授權。`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `我授權 ${business} 在 ${account} 每張帳單的到期日從此付款方式扣款，直至我關閉自動付款。我可以隨時在 ${business} 的自動付款頁面關閉，或聯絡 ${business} 關閉；已送出的付款不受影響。`,
  termsBodyMerchant: (business, account) =>
    `我授權 ${business} 在 ${account} 每張帳單應付時從此付款方式扣款，直至我關閉自動付款。我可以隨時在 ${business} 的自動付款頁面關閉，或聯絡 ${business} 關閉；已送出的付款不受影響。`,
  limit: '無論金額多少，每張帳單都會全額支付，沒有金額上限。',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `預約此付款即表示我授權 ${business}${date && ` 於 ${date}`} 從此付款方式扣款一次${amount && `，金額為 ${amount}`}。在該日期之前，我可以在「預約付款清單」中取消該付款以撤銷授權。`,
};
