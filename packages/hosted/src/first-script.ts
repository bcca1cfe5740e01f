/** The one script inside a hosted page's HTML: built on its own, and allowed by its hash. */
import { begin } from './begin.js';

begin(window);
