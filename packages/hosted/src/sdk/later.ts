// What the script imports together with its texts: code that no flow waits for.
export { watchFraming } from './framing.js';
export { openWarmPage } from './warm-page.js';
