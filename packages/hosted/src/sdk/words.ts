// The script contains the English words. The service sends those of other languages.
import type { SdkWords } from '../../../service/src/shared/sdk-words.js';
import type { Texts } from '../../../service/src/shared/texts.js';
import type { SdkConfig } from './session-url.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
/** From `locales/en.json`, by the build. */
declare const SDK_ENGLISH: Texts['sdk'];

export const ENGLISH_WORDS: SdkWords = { lang: 'en', dir: 'ltr', ...SDK_ENGLISH };

/**
 * The words of the first of these languages that the service has, or the English ones. A page's policy can block the
 * import.
 */
export async function wordsIn(tags: readonly string[]): Promise<SdkWords> {
  if (/^en\b/i.test(tags[0] ?? '')) return ENGLISH_WORDS;
  const address = `${SERVICE_CONFIG.base}/app/words.js?lang=${encodeURIComponent(tags.join())}`;
  return import(/* @vite-ignore */ address).then(
    (words: { default: SdkWords }) => words.default,
    () => ENGLISH_WORDS,
  );
}
