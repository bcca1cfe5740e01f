import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in French. */
export const problem: ProblemText = {
  unknown: {
    title: 'Ce lien ne peut pas être ouvert',
    body: 'Il ne correspond à aucune session, ou celle-ci est terminée depuis longtemps. Revenez sur le site d’où vous venez et recommencez.',
  },
  environment: {
    title: 'Ce lien appartient à un autre environnement',
    body: (here, there) =>
      `La session a été créée en ${there}, et ceci est ${here}. Ouvrez-la avec l’adresse ${there} du service.`,
  },
};

export default { shared, rest, part: problem };
