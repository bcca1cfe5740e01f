/** The inline script of a page that waits for its session. Built separately; the page's CSP allows it by hash. */
import { wait } from './wait.js';

wait(window);
