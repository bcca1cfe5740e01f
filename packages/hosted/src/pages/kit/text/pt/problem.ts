import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Portuguese. */
export const problem: ProblemText = {
  unknown: {
    title: 'Este link não pode ser aberto',
    body: 'Não há sessão por trás dele, ou ela terminou há muito tempo. Volte para onde você estava e comece de novo para obter outra.',
  },
  environment: {
    title: 'Este link é de outro ambiente',
    body: (here, there) =>
      `A sessão foi criada em ${there}, e este é ${here}. Abra-a com o endereço de ${there} do serviço.`,
  },
};

export default { shared, rest, part: problem };
