/** The inline script in a hosted page's HTML. Built separately; the page's CSP allows it by hash. */
import { begin } from './begin.js';

begin(window);
