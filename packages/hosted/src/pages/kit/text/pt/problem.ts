import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Portuguese. */
export const problem: ProblemText = {
  unknown: {
    title: 'Este link não pode ser aberto',
    body: 'Ele não corresponde a nenhuma sessão, ou a sessão terminou há muito tempo. Volte ao site de onde você veio e comece de novo.',
  },
  environment: {
    title: 'Este link é de outro ambiente',
    body: (here, there) =>
      `A sessão foi criada em ${there}, e este é ${here}. Abra-a com o endereço de ${there} do serviço.`,
  },
};

export default { shared, rest, part: problem };
