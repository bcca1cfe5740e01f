// What the script imports together with its words: code that no flow waits for.
export { watchFraming } from './framing.js';
export { openWarmPage } from './warm-page.js';
