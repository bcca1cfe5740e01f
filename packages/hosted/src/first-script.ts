/** The inline script of a hosted page's HTML: built separately, and allowed by its hash. */
import { begin } from './begin.js';

begin(window);
