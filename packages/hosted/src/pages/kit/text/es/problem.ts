import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Spanish. */
export const problem: ProblemText = {
  unknown: {
    title: 'No se puede abrir este enlace',
    body: 'Este enlace no corresponde a ninguna sesión, o la sesión terminó hace tiempo. Vuelva al sitio donde lo encontró y empiece de nuevo.',
  },
  environment: {
    title: 'Este enlace es de otro entorno',
    body: (here, there) =>
      `La sesión se creó en ${there} y esto es ${here}. Ábrala con la dirección de ${there} del servicio.`,
  },
};

export default { shared, rest, part: problem };
