import { accountNumber } from '../../../../../../service/src/shared/authorization/zh-Hant.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Chinese, traditional. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `付款服務由 ${operator} 提供`,
    terms: '條款',
    privacyPolicy: '隱私權',
    help: '說明',
    accountNumber,
    optional: '選填',
    backTo: (business) => `返回 ${business}`,
    working: '請稍候…',
    privacy: (business) => `您的資料會直接傳送給付款服務商。${business} 看不到您的完整卡號或銀行帳號。`,
  },
  method: {
    legend: '付款方式',
    card: '卡片',
    bank: '銀行帳戶',
    newCard: '新卡片',
    newBank: '新銀行帳戶',
    savedCard: (brand, last4) => `${brand}（末四碼 ${last4}）`,
    savedBank: (last4) => `銀行帳戶（末四碼 ${last4}）`,
    unnamedCard: '卡片',
    expires: (expiry) => `有效期限至 ${expiry}`,
    expiredOn: (expiry) => `已過期（${expiry}）`,
    isDefault: '預設',
    cardNumber: '卡號',
    expiry: '有效期限',
    expiryHint: '月 / 年',
    securityCode: '安全碼',
    securityCodeHint: '卡片背面的 3 位數字',
    securityCodeHintAmex: '卡片正面的 4 位數字',
    nameOnCard: '持卡人姓名',
    zip: '郵遞區號 (ZIP)',
    blocked: '銀行不允許從此帳戶扣款。請選擇其他帳戶。',
  },
  account: {
    due: '繳款截止日',
    note: '備註',
    details: '詳情',
  },
};
