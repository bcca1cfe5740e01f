import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Simplified Chinese. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `账户 ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: '我的银行账户',
  bankEnding: (last4) => `我尾号为 ${last4} 的银行账户`,
  achTerms: (business, amount, account, date) =>
    `点击“支付”即表示我授权 ${business} 于 ${date} 当日或之后以电子方式从${account}扣款一次，金额为 ${amount}，并授权其更正任何误扣款项。在付款发送至我的银行之前，我可以联系 ${business} 撤销此授权。`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `我授权 ${business} 在 ${account} 每张账单的到期日从此付款方式扣款，直至我关闭自动付款。我可以随时在 ${business} 的自动付款页面关闭，或联系 ${business} 关闭；已发出的付款不受影响。`,
  termsBodyMerchant: (business, account) =>
    `我授权 ${business} 在 ${account} 每张账单应付时从此付款方式扣款，直至我关闭自动付款。我可以随时在 ${business} 的自动付款页面关闭，或联系 ${business} 关闭；已发出的付款不受影响。`,
  limit: '无论金额多少，每张账单都会全额支付，没有金额上限。',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `预约此付款即表示我授权 ${business}${date && ` 于 ${date}`} 从此付款方式扣款一次${amount && `，金额为 ${amount}`}。在该日期之前，我可以在“预约付款列表”中取消该付款以撤销授权。`,
};
