/** The inline script of a page that waits for its session: built separately, and allowed by its hash. */
import { wait } from './wait.js';

wait(window);
