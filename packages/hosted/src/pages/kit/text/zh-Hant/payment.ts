import { bankDebit } from '../../../../../../service/src/shared/authorization/zh-Hant.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Chinese, traditional. */
export const payment: PaymentText = {
  ...bankDebit,
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
  pos: (agent) => `由 ${agent} 受理`,
  posHint: '付款人的資訊由服務人員輸入，無法儲存。',
};

export default { shared, part: payment };
