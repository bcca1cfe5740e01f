import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in English. */
export const problem = {
  unknown: {
    title: 'This link cannot be opened',
    body: 'The link may have expired or been copied incompletely. Go back to the site you came from and start again.',
  },
  environment: {
    title: 'This link belongs to another environment',
    body: (here: string, there: string) =>
      `This session was created in ${there}, but this is ${here}. Open it with the ${there} address.`,
  },
};

export default { shared, rest, part: problem };
