// Code that no flow waits for. The SDK script imports it together with its texts.
export { watchFraming } from './framing.js';
export { openWarmPage } from './warm-page.js';
export { scrollTo } from './scroll-to.js';
