import type { ProblemText } from '../catalog.js';
import { rest } from './rest.js';
import { shared } from './shared.js';

/** What the page of a session that is not here says, in Tagalog. */
export const problem: ProblemText = {
  unknown: {
    title: 'Hindi mabuksan ang link na ito',
    body: 'Walang session para sa link na ito, o matagal na itong natapos. Bumalik sa site na pinanggalingan mo at magsimula muli.',
  },
  environment: {
    title: 'Sa ibang environment ang link na ito',
    body: (here, there) =>
      `Ginawa ang session sa ${there}, at ito ay ${here}. Buksan ito gamit ang ${there} na address ng serbisyo.`,
  },
};

export default { shared, rest, part: problem };
