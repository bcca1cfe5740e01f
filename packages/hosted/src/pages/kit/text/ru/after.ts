import type { AfterText } from '../catalog.js';
import { plural } from '../plural.js';
import { rest } from './rest.js';

/** What the payment page says in Russian once something was sent: read behind its first paint. */
export const after: AfterText = {
  paying: 'Обработка…',
  payingStatus: 'Платёж обрабатывается. Не закрывайте страницу.',
  declined: 'Платёж отклонён. Деньги не списаны.',
  declinedHint: 'Проверьте данные или выберите другой способ оплаты.',
  declineAdvice: {
    insufficient_funds: 'Недостаточно средств. Используйте другой способ оплаты.',
    card_expired: 'Срок действия карты истёк. Проверьте дату или используйте другую карту.',
    wrong_code: 'Неверный код безопасности. Проверьте его и попробуйте снова.',
    wrong_zip: 'Почтовый индекс не соответствует карте. Проверьте его и попробуйте снова.',
  },
  attemptsLeft: (count) =>
    plural('ru', count, {
      one: `Осталась ${count} попытка.`,
      few: `Осталось ${count} попытки.`,
      many: `Осталось ${count} попыток.`,
      other: `Осталось ${count} попытки.`,
    }),
  neverArrived: 'Платёж до нас не дошёл, деньги не списаны.',
  neverArrivedHint: 'Нажмите «Оплатить», чтобы отправить его снова: дважды деньги не спишутся.',
  tooMany: {
    title: 'Попыток не осталось',
    body: (business) =>
      `Слишком много попыток оплаты, деньги не списаны. Вернитесь на сайт ${business} и начните заново с другим способом оплаты.`,
  },
  unavailable: {
    title: 'Сейчас здесь нельзя заплатить',
    body: (business) => `Деньги не списаны. Чтобы заплатить иначе, свяжитесь с ${business}.`,
  },
  checking: {
    title: 'Проверяем ваш платёж',
    titleProcessing: 'Платёж обрабатывается',
    dropped: (amount) => `Связь прервалась во время отправки платежа на ${amount}. Проверяем, прошёл ли он.`,
    processing: (amount) => `Платёж на ${amount} получен и обрабатывается. Это может занять немного времени.`,
    offline: 'Связи пока нет. Мы продолжаем попытки.',
    noRepeat: 'Не платите повторно: результат появится на этой странице.',
    now: 'Проверить сейчас',
  },
  challenge: {
    title: 'Подтвердите платёж',
    body: (amount) => `Ваш банк просит подтвердить платёж на ${amount}.`,
    frame: 'Подтверждение банка',
    cancel: 'Отменить платёж',
  },
  complete: 'Оплата завершена',
  submitted: 'Платёж отправлен',
  completeBody: (business) => `Спасибо. Платёж для ${business} получен.`,
  submittedBody: (business) =>
    `Спасибо. Банковский платёж для ${business} отправлен и обычно проходит за два рабочих дня.`,
  failed: {
    title: 'Банк вернул платёж',
    body: (business) =>
      `Ваш банк вернул этот платёж, оплата не состоялась. Вернитесь на сайт ${business}, чтобы заплатить снова.`,
  },
  over: {
    title: 'Квитанция здесь больше не показывается',
    body: (business) =>
      `В этом сеансе платёж уже принят, квитанция видна один день. Вернитесь на сайт ${business}, чтобы узнать, что оплачено.`,
  },
  receipt: 'Квитанция',
  receiptNumber: 'Номер квитанции',
  account: 'Лицевой счёт',
  paidBy: 'Плательщик',
  takenBy: 'Сотрудник',
  paidOn: 'Оплачено',
  submittedOn: 'Отправлено',
  paidWith: 'Способ оплаты',
  amountPaid: 'Оплаченная сумма',
  amountSubmitted: 'Отправленная сумма',
  methodSaved: 'Способ оплаты сохранён на будущее.',
  continueTo: (business) => `Перейти на сайт ${business}`,
  next: {
    autopay: 'Включить автоплатёж',
    paperless: 'Перейти на электронные счета',
  },
  returnToStart: 'Вернуться туда, где вы начали',
  emailReceipt: {
    label: 'Адрес электронной почты',
    send: 'Отправить квитанцию на почту',
    sent: (address) => `Отправлено на ${address}.`,
    invalid: 'Введите адрес электронной почты, например ada@example.com.',
    failed: 'Не удалось отправить. Повторите позже или распечатайте квитанцию.',
  },
  print: 'Печать',
};

export default { rest, part: after };
