import type { Texts } from './texts.js';

/** The SDK's own words around a session's frame, in one language: what `/app/words.js` exports by default. */
export type SdkWords = Texts['sdk'] & {
  /** The tag for HTML. */
  lang: string;
  dir: 'ltr' | 'rtl';
};
