import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Arabic. */
export const payment: PaymentText = {
  title: (business) => `الدفع إلى ${business}`,
  summary: 'الملخّص',
  total: 'الإجمالي',
  charge: 'دفعة',
  chooseAccounts: 'اختر ما تريد دفعه',
  selectAll: 'تحديد الكل',
  selectNone: 'إلغاء تحديد الكل',
  chosen: (count, of) => `تم تحديد ${count} من ${of}`,
  amountFor: (account) => `المبلغ لـ ${account}`,
  upTo: (max) => `حتى ${max}`,
  reference: 'المرجع',
  paymentDetails: 'تفاصيل الدفع',
  pay: (amount) => `ادفع ${amount}`,
  payPlain: 'ادفع',
  notCharged: 'لم يُخصم أي مبلغ.',
  save: 'حفظ وسيلة الدفع هذه',
  saveHint: (email) => `للدفعات القادمة من ${email}`,
  bankAccount: 'حسابي البنكي',
  bankEnding: (last4) => `حسابي البنكي الذي ينتهي رقمه بـ ${last4}`,
  achTerms: (business, amount, account, date) =>
    `بالضغط على «ادفع» أفوّض ${business} بخصم مبلغ ${amount} إلكترونيًا مرة واحدة من ${account} في ${date} أو بعده، وبتصحيح أي خصم يتم بالخطأ. يمكنني إلغاء هذا التفويض بالتواصل مع ${business} قبل إرسال الدفعة إلى بنكي.`,
  pos: (agent) => `أجرى الدفعة الموظف ${agent}`,
  posHint: 'يُدخل الموظف بيانات الدافع ولا يمكن حفظها.',
};

export default { shared, part: payment };
