import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Chinese, traditional. */
export const payment: PaymentText = {
  title: (business) => `向 ${business} 付款`,
  summary: '摘要',
  total: '合計',
  charge: '付款',
  chooseAccounts: '選擇要支付的項目',
  selectAll: '全選',
  selectNone: '全不選',
  chosen: (count, of) => `已選 ${count} / ${of}`,
  amountFor: (account) => `${account} 的金額`,
  upTo: (max) => `最多 ${max}`,
  reference: '參考號碼',
  paymentDetails: '付款資訊',
  pay: (amount) => `付款 ${amount}`,
  payPlain: '付款',
  notCharged: '未扣款。',
  save: '儲存此付款方式',
  saveHint: (email) => `供 ${email} 以後付款使用`,
  bankAccount: '我的銀行帳戶',
  bankEnding: (last4) => `我末四碼為 ${last4} 的銀行帳戶`,
  achTerms: (business, amount, account, date) =>
    `按下「付款」即表示我授權 ${business} 於 ${date} 當日或之後以電子方式從${account}扣款一次，金額為 ${amount}，並授權其更正任何誤扣款項。在付款送至我的銀行之前，我可以聯絡 ${business} 撤銷此授權。`,
  pos: (agent) => `由 ${agent} 受理`,
  posHint: '付款人的資訊由服務人員輸入，無法儲存。',
};

export default { shared, part: payment };
