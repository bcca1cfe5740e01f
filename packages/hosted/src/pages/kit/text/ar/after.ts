import type { AfterText } from '../catalog.js';
import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in Arabic once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'جارٍ المعالجة…',
  payingStatus: 'جارٍ معالجة دفعتك. أبقِ هذه الصفحة مفتوحة.',
  declined: 'رُفضت دفعتك. لم يُخصم منك أي مبلغ.',
  declinedHint: 'تحقق من البيانات، أو استخدم وسيلة دفع أخرى.',
  declineAdvice: {
    insufficient_funds: 'الرصيد المتاح غير كافٍ. استخدم وسيلة دفع أخرى.',
    card_expired: 'انتهت صلاحية هذه البطاقة. تحقق من التاريخ أو استخدم بطاقة أخرى.',
    wrong_code: 'رمز الأمان غير صحيح. تحقق منه وحاول مرة أخرى.',
    wrong_zip: 'الرمز البريدي لا يطابق هذه البطاقة. تحقق منه وحاول مرة أخرى.',
  },
  attemptsLeft: (count) =>
    plural('ar', count, {
      zero: 'لم تتبقَّ أي محاولة.',
      one: 'تتبقى محاولة واحدة.',
      two: 'تتبقى محاولتان.',
      few: `تتبقى ${count} محاولات.`,
      many: `تتبقى ${count} محاولة.`,
      other: `تتبقى ${count} محاولة.`,
    }),
  neverArrived: 'لم تصل دفعتك إلينا، ولم يُخصم منك أي مبلغ.',
  neverArrivedHint: 'اضغط «ادفع» لإرسالها مرة أخرى: لا يمكن خصمها مرتين.',
  tooMany: {
    title: 'لم تتبقَّ محاولات',
    body: (business) =>
      `جرت محاولات دفع كثيرة جدًا، ولم يُخصم منك أي مبلغ. عُد إلى ${business} وابدأ من جديد بوسيلة دفع أخرى.`,
  },
  unavailable: {
    title: 'لا يمكن الدفع هنا الآن',
    body: (business) => `لم يُخصم منك أي مبلغ. تواصل مع ${business} للدفع بطريقة أخرى.`,
  },
  checking: {
    title: 'جارٍ التحقق من دفعتك',
    titleProcessing: 'جارٍ معالجة دفعتك',
    dropped: (amount) => `انقطع الاتصال أثناء إرسال دفعتك بمبلغ ${amount}. نتحقق مما إذا كانت قد تمت.`,
    processing: (amount) => `استُلمت دفعتك بمبلغ ${amount} وتجري معالجتها. قد يستغرق ذلك لحظات.`,
    offline: 'ما زال الاتصال متعذّرًا. سنواصل المحاولة.',
    noRepeat: 'لا تدفع مرة أخرى: ستعرض هذه الصفحة النتيجة.',
    now: 'تحقق الآن',
  },
  challenge: {
    title: 'أكِّد هويتك',
    body: (amount) => `يطلب منك البنك تأكيد دفعتك بمبلغ ${amount}.`,
    frame: 'تأكيد البنك',
    cancel: 'إلغاء الدفعة',
  },
  complete: 'اكتمل الدفع',
  submitted: 'أُرسلت الدفعة',
  completeBody: (business) => `شكرًا لك. وصلت دفعتك إلى ${business}.`,
  submittedBody: (business) => `شكرًا لك. دفعتك البنكية إلى ${business} في الطريق، وتُسوّى عادةً خلال يومي عمل.`,
  failed: {
    title: 'ردّ البنك الدفعة',
    body: (business) => `ردّ بنكك هذه الدفعة فلم تكتمل. عُد إلى ${business} للدفع مرة أخرى.`,
  },
  over: {
    title: 'لم يعد الإيصال معروضًا هنا',
    body: (business) => `تم الدفع، ويُعرض الإيصال ليوم واحد فقط. عُد إلى ${business} لمعرفة ما دُفع.`,
  },
  receipt: 'الإيصال',
  receiptNumber: 'رقم الإيصال',
  account: 'الحساب',
  paidBy: 'الدافع',
  takenBy: 'الموظف',
  paidOn: 'تاريخ الدفع',
  submittedOn: 'تاريخ الإرسال',
  paidWith: 'وسيلة الدفع',
  amountPaid: 'المبلغ المدفوع',
  amountSubmitted: 'المبلغ المُرسل',
  methodSaved: 'حُفظت وسيلة الدفع هذه للمرة القادمة.',
  continueTo: (business) => `المتابعة إلى ${business}`,
  next: {
    autopay: 'تفعيل الدفع التلقائي',
    paperless: 'التحوّل إلى الفواتير الإلكترونية',
  },
  returnToStart: 'العودة إلى حيث بدأت',
  emailReceipt: {
    label: 'عنوان البريد الإلكتروني',
    send: 'إرسال الإيصال بالبريد الإلكتروني',
    sent: (address) => `أُرسل إلى ${address}.`,
    invalid: 'أدخل عنوان بريد إلكتروني مثل ada@example.com.',
    failed: 'تعذّر الإرسال. حاول لاحقًا أو اطبع الإيصال.',
  },
  print: 'طباعة',
};

export default { rest, part: after };
