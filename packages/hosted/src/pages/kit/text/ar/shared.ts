import { accountNumber } from '../../../../../../service/src/shared/authorization/ar.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Arabic. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `خدمة الدفع من ${operator}`,
    terms: 'الشروط',
    privacyPolicy: 'الخصوصية',
    help: 'المساعدة',
    accountNumber,
    optional: 'اختياري',
    backTo: (business) => `العودة إلى ${business}`,
    working: 'لحظة من فضلك…',
    privacy: (business) =>
      `تصل بياناتك مباشرةً إلى خدمة الدفع، ولا يظهر رقم بطاقتك الكامل ولا رقم حسابك البنكي لدى ${business}.`,
  },
  method: {
    legend: 'وسيلة الدفع',
    card: 'بطاقة',
    bank: 'حساب بنكي',
    newCard: 'بطاقة جديدة',
    newBank: 'حساب بنكي جديد',
    savedCard: (brand, last4) => `${brand} تنتهي بـ ${last4}`,
    savedBank: (last4) => `حساب بنكي ينتهي بـ ${last4}`,
    unnamedCard: 'بطاقة',
    expires: (expiry) => `تنتهي صلاحيتها في ${expiry}`,
    expiredOn: (expiry) => `انتهت صلاحيتها في ${expiry}`,
    isDefault: 'الافتراضية',
    cardNumber: 'رقم البطاقة',
    expiry: 'تاريخ الانتهاء',
    expiryHint: 'MM / YY',
    securityCode: 'رمز الأمان',
    securityCodeHint: '3 أرقام على ظهر البطاقة',
    securityCodeHintAmex: '4 أرقام على وجه البطاقة',
    nameOnCard: 'الاسم على البطاقة',
    zip: 'الرمز البريدي (ZIP)',
    blocked: 'لا يسمح البنك بالخصم من هذا الحساب. اختر غيره.',
  },
  account: {
    due: 'تاريخ الاستحقاق',
    note: 'ملاحظة',
    details: 'التفاصيل',
  },
};
