import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Russian. */
export const problem: ProblemText = {
  unknown: {
    title: 'Эту ссылку нельзя открыть',
    body: 'Такого сеанса нет, или он давно закончился. Вернитесь на сайт, с которого пришли, и начните заново.',
  },
  environment: {
    title: 'Ссылка относится к другой среде',
    body: (here, there) =>
      `Сеанс создан в ${there}, а здесь ${here}. Откройте его по адресу службы для ${there}.`,
  },
};

export default { shared, rest, part: problem };
