import { accountNumber } from '../../../../../../service/src/shared/authorization/ru.js';
import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Russian. */
export const shared: SharedText = {
  common: {
    operatedBy: (operator) => `Платежи обрабатывает ${operator}`,
    terms: 'Условия',
    privacyPolicy: 'Конфиденциальность',
    help: 'Помощь',
    accountNumber,
    optional: 'Необязательно',
    backTo: (business) => `Назад: ${business}`,
    working: 'Подождите…',
    privacy: (business) =>
      `Ваши данные поступают напрямую в платёжный сервис. ${business} не видит полный номер карты и банковского счёта.`,
  },
  method: {
    legend: 'Способ оплаты',
    card: 'Карта',
    bank: 'Банковский счёт',
    newCard: 'Новая карта',
    newBank: 'Новый банковский счёт',
    savedCard: (brand, last4) => `${brand} •• ${last4}`,
    savedBank: (last4) => `Банковский счёт •• ${last4}`,
    unnamedCard: 'Карта',
    expires: (expiry) => `Действует до ${expiry}`,
    expiredOn: (expiry) => `Срок истёк ${expiry}`,
    isDefault: 'По умолчанию',
    cardNumber: 'Номер карты',
    expiry: 'Срок действия',
    expiryHint: 'ММ / ГГ',
    securityCode: 'Код безопасности',
    securityCodeHint: '3 цифры на обороте',
    securityCodeHintAmex: '4 цифры на лицевой стороне',
    nameOnCard: 'Имя на карте',
    zip: 'Почтовый индекс (ZIP)',
    blocked: 'Банк не разрешает списывать деньги с этого счёта. Выберите другой.',
  },
  account: {
    due: 'Оплатить до',
    note: 'Примечание',
    details: 'Подробнее',
  },
};
