import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Chinese, simplified. */
export const payment: PaymentText = {
  title: (business) => `向 ${business} 付款`,
  summary: '摘要',
  total: '合计',
  charge: '付款',
  chooseAccounts: '选择要支付的项目',
  selectAll: '全选',
  selectNone: '全不选',
  chosen: (count, of) => `已选 ${count} / ${of}`,
  amountFor: (account) => `${account} 的金额`,
  upTo: (max) => `最多 ${max}`,
  reference: '参考号',
  paymentDetails: '付款信息',
  pay: (amount) => `支付 ${amount}`,
  payPlain: '支付',
  notCharged: '未扣款。',
  save: '保存此付款方式',
  saveHint: (email) => `供 ${email} 以后付款使用`,
  bankAccount: '我的银行账户',
  bankEnding: (last4) => `我尾号为 ${last4} 的银行账户`,
  achTerms: (business, amount, account, date) =>
    `点击“支付”即表示我授权 ${business} 于 ${date} 当日或之后以电子方式从${account}扣款一次，金额为 ${amount}，并授权其更正任何误扣款项。在付款发送至我的银行之前，我可以联系 ${business} 撤销此授权。`,
  pos: (agent) => `由 ${agent} 受理`,
  posHint: '付款人的信息由工作人员输入，无法保存。',
};

export default { shared, part: payment };
