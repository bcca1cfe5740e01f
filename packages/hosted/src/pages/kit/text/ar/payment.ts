import { bankDebit } from '../../../../../../service/src/shared/authorization/ar.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Arabic. */
export const payment: PaymentText = {
  ...bankDebit,
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
  pos: (agent) => `أجرى الدفعة الموظف ${agent}`,
  posHint: 'يُدخل الموظف بيانات الدافع ولا يمكن حفظها.',
};

export default { shared, part: payment };
