import { bankDebit } from '../../../../../../service/src/shared/authorization/ru.js';
import type { PaymentText } from '../catalog.js';
import { shared } from './shared.js';

/** What the payment page says, in Russian. */
export const payment: PaymentText = {
  ...bankDebit,
  title: (business) => `Оплата: ${business}`,
  summary: 'Детали платежа',
  total: 'Итого',
  charge: 'Платёж',
  chooseAccounts: 'Выберите, что оплатить',
  selectAll: 'Выбрать все',
  selectNone: 'Снять выбор',
  chosen: (count, of) => `Выбрано: ${count} из ${of}`,
  amountFor: (account) => `Сумма для ${account}`,
  upTo: (max) => `До ${max}`,
  reference: 'Референсный номер',
  paymentDetails: 'Данные платежа',
  pay: (amount) => `Оплатить ${amount}`,
  payPlain: 'Оплатить',
  notCharged: 'Деньги не списаны.',
  save: 'Сохранить этот способ оплаты',
  saveHint: (email) => `Для следующих платежей ${email}`,
  pos: (agent) => `Платёж принимает ${agent}`,
  posHint: 'Данные плательщика вводит сотрудник, сохранить их нельзя.',
};

export default { shared, part: payment };
