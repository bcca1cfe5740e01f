import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in English. */
export const problem = {
  unknown: {
    title: 'This link cannot be opened',
    body: 'There is no session behind it, or it ended long ago. Go back to where you came from and start again to get a new one.',
  },
  environment: {
    title: 'This link belongs to another environment',
    body: (here: string, there: string) =>
      `The session was created in ${there}, and this is ${here}. Open it with the ${there} address of the service.`,
  },
};

export default { shared, rest, part: problem };
