import type { Texts } from './texts.generated.js';

/** The SDK's own texts, around a session's frame, in one language: the default export of `/app/words.js`. */
export type SdkWords = Texts['sdk'] & {
  /** The value of HTML's `lang` attribute. */
  lang: string;
  dir: 'ltr' | 'rtl';
};
