/** The one script inside the HTML of a page that waits for its session: built on its own, and allowed by its hash. */
import { wait } from './wait.js';

wait(window);
