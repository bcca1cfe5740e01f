import type { SharedText } from '../catalog.js';

/** What every hosted page says, in Russian. */
export const shared: SharedText = {
  common: {
    optional: 'Необязательно',
    backTo: (business) => `Назад: ${business}`,
    working: 'Подождите…',
    testMode: 'Тестовый режим',
    testModeHint: 'Деньги не списываются. Используйте тестовые данные.',
    privacy: (business) =>
      `Ваши данные поступают прямо в платёжную службу. ${business} не видит номера карты и счёта.`,
    accountNumber: (number) => `Счёт ${number}`,
  },
  method: {
    legend: 'Способ оплаты',
    card: 'Карта',
    bank: 'Банковский счёт',
    newCard: 'Новая карта',
    newBank: 'Новый банковский счёт',
    cardHint: 'Кредитная или дебетовая',
    bankHint: 'В банке США',
    savedCard: (brand, last4) => `${brand}, последние цифры ${last4}`,
    savedBank: (last4) => `Банковский счёт, последние цифры ${last4}`,
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
