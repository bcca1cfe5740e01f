import { accountNumber } from '../../../../../../service/src/shared/authorization/zh-Hans.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Chinese, simplified. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `付款服务由 ${operator} 提供`,
    terms: '条款',
    privacyPolicy: '隐私',
    help: '帮助',
    accountNumber,
    optional: '选填',
    backTo: (business) => `返回 ${business}`,
    working: '请稍候…',
    privacy: (business) => `您的信息会直接发送给支付服务商。${business} 看不到您的完整卡号或银行账号。`,
  },
  method: {
    legend: '付款方式',
    card: '银行卡',
    bank: '银行账户',
    newCard: '新银行卡',
    newBank: '新银行账户',
    savedCard: (brand, last4) => `${brand}（尾号 ${last4}）`,
    savedBank: (last4) => `银行账户（尾号 ${last4}）`,
    unnamedCard: '银行卡',
    expires: (expiry) => `有效期至 ${expiry}`,
    expiredOn: (expiry) => `已过期（${expiry}）`,
    isDefault: '默认',
    cardNumber: '卡号',
    expiry: '有效期',
    expiryHint: '月 / 年',
    securityCode: '安全码',
    securityCodeHint: '卡背面的 3 位数字',
    securityCodeHintAmex: '卡正面的 4 位数字',
    nameOnCard: '持卡人姓名',
    zip: '邮政编码 (ZIP)',
    blocked: '银行不允许从此账户扣款。请选择其他账户。',
  },
  account: {
    due: '付款截止日',
    note: '备注',
    details: '详情',
  },
};
