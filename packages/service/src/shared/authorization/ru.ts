import type { AuthorizationText } from '../authorization-text.js';

/** What payers authorize, in Russian. */

export const accountNumber: AuthorizationText['accountNumber'] = (number) => `Лицевой счёт ${number}`;

export const bankDebit: AuthorizationText['bankDebit'] = {
  bankAccount: 'моего банковского счёта',
  bankEnding: (last4) => `моего банковского счёта •• ${last4}`,
  achTerms: (business, amount, account, date) =>
    `Нажимая «Оплатить», я разрешаю ${business} один раз, ${date} или позднее, списать ${amount} электронным способом с ${account}, а также исправить ошибочное списание. Я могу отозвать это разрешение, обратившись в ${business}, пока платёж не отправлен в мой банк.`,
};

export const autopay: AuthorizationText['autopay'] = {
  termsBody: (business, account) =>
    `Я разрешаю ${business} в день срока оплаты списывать с помощью этого способа оплаты сумму каждого выставленного счёта (${account}), пока я не выключу автоплатёж. Выключить его можно в любое время на странице автоплатежа ${business} или обратившись в ${business}; уже отправленных платежей это не касается.`,
  termsBodyMerchant: (business, account) =>
    `Я разрешаю ${business} списывать, когда наступает время оплаты, с помощью этого способа оплаты сумму каждого выставленного счёта (${account}), пока я не выключу автоплатёж. Выключить его можно в любое время на странице автоплатежа ${business} или обратившись в ${business}; уже отправленных платежей это не касается.`,
  limit: 'Каждый счёт оплачивается полностью, какой бы ни была сумма. Максимальной суммы нет.',
};

export const scheduled: AuthorizationText['scheduled'] = {
  terms: (business, amount, date) =>
    `Планируя этот платёж, я разрешаю ${business} один раз провести списание${amount && ` на сумму ${amount}`} с помощью этого способа оплаты${date && ` (${date})`}. До этого дня я могу отозвать разрешение, отменив платёж в разделе «Запланированные платежи».`,
};
