import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Haitian Creole. */
export const problem: ProblemText = {
  unknown: {
    title: 'Lyen sa a pa ka louvri',
    body: 'Lyen sa a pa mennen nan okenn sesyon, oswa sesyon an fini depi lontan. Retounen sou sit kote w te ye a epi rekòmanse.',
  },
  environment: {
    title: 'Lyen sa a se pou yon lòt anviwònman',
    body: (here, there) =>
      `Sesyon an kreye nan ${there}, epi isit la se ${here}. Louvri l ak adrès ${there} sèvis la.`,
  },
};

export default { shared, rest, part: problem };
