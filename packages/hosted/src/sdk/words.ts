// What the script imports after it has run. A page's policy can block the import: then the SDK's texts are in English,
// and an empty frame is reported only after its timeout.
import type { SdkWords } from '@shared/sdk-words.js';
import type { Texts } from '@shared/texts.generated.js';
import type { SdkConfig } from './session-url.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
/** From `locales/en.json`, by the build. */
declare const SDK_ENGLISH: Texts['sdk'];

export const ENGLISH_WORDS: SdkWords = { lang: 'en', dir: 'ltr', ...SDK_ENGLISH };

/**
 * The texts in the first language that the service has, and the members of `later.ts` that the caller uses. Browsers
 * import an address only once.
 */
export function importFor<Later>(
  languages: readonly string[],
): Promise<Partial<{ default: SdkWords } & Later>> {
  const address = `${SERVICE_CONFIG.base}/app/words.js?lang=${encodeURIComponent(languages.join())}`;
  return import(/* @vite-ignore */ address).catch(() => ({}));
}
