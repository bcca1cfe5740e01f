import { bankDebit } from '../../../../../../service/src/shared/authorization/zh-Hans.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Chinese, simplified. */
export const payment: PaymentText = {
  ...bankDebit,
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
  pos: (agent) => `由 ${agent} 受理`,
  posHint: '付款人的信息由工作人员输入，无法保存。',
};

export default { shared, part: payment };
