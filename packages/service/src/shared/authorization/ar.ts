import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Arabic. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `الحساب ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'حسابي البنكي',
  bankEnding: (last4) => `حسابي البنكي الذي ينتهي رقمه بـ ${last4}`,
  achTerms: (business, amount, account, date) =>
    `بالضغط على «ادفع» أفوّض ${business} بخصم مبلغ ${amount} إلكترونيًا مرة واحدة من ${account} في ${date} أو بعده، وبتصحيح أي خصم يتم بالخطأ. يمكنني إلغاء هذا التفويض بالتواصل مع ${business} قبل إرسال الدفعة إلى بنكي.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `أفوّض ${business} بالخصم من وسيلة الدفع هذه لسداد كل فاتورة تخص ${account} في يوم استحقاقها، إلى أن أوقف الدفع التلقائي. يمكنني إيقافه في أي وقت من صفحة الدفع التلقائي لدى ${business} أو بالتواصل مع ${business}؛ ولا يؤثر ذلك في الدفعات التي أُرسلت.`,
  termsBodyMerchant: (business, account) =>
    `أفوّض ${business} بالخصم من وسيلة الدفع هذه لسداد كل فاتورة تخص ${account} عندما تُستحق، إلى أن أوقف الدفع التلقائي. يمكنني إيقافه في أي وقت من صفحة الدفع التلقائي لدى ${business} أو بالتواصل مع ${business}؛ ولا يؤثر ذلك في الدفعات التي أُرسلت.`,
  limit: 'تُدفع كل فاتورة كاملةً مهما كان مبلغها، ولا يوجد حد أقصى.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `بجدولة هذه الدفعة أفوّض ${business} بالخصم من وسيلة الدفع هذه مرة واحدة${amount && ` بمبلغ ${amount}`}${date && ` في ${date}`}. يمكنني إلغاء هذا التفويض قبل ذلك اليوم بإلغاء الدفعة ضمن «الدفعات المجدولة».`,
};
