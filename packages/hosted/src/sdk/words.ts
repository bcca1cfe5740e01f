// Imported by the script after it has run. If the page's policy blocks the import, the SDK's texts are in English, and a
// blocked frame is reported only after its timeout.
import type { SdkWords } from '@shared/sdk-words.js';
import type { Texts } from '@shared/texts.generated.js';
import type { SdkConfig } from './session-url.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
/** Added by the build from `locales/en.json`. */
declare const SDK_ENGLISH: Texts['sdk'];

export const ENGLISH_WORDS: SdkWords = { lang: 'en', dir: 'ltr', ...SDK_ENGLISH };

/**
 * Imports the texts in the first supported language, and the members of `later.ts` that the caller uses. Browsers import
 * an address only once.
 */
export function importFor<Later>(
  languages: readonly string[],
): Promise<Partial<{ default: SdkWords } & Later>> {
  const address = `${SERVICE_CONFIG.base}/app/words.js?lang=${encodeURIComponent(languages.join())}`;
  return import(/* @vite-ignore */ address).catch(() => ({}));
}
