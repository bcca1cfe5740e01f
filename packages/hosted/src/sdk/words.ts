// What the script imports after it has run. A page's policy can block the import: then the SDK speaks English, and an empty
// frame is reported by its timeout.
import type { SdkWords } from '@shared/sdk-words.js';
import type { Texts } from '@shared/texts.js';
import type { watchFraming } from './framing.js';
import type { SdkConfig } from './session-url.js';

/** Added by the service that serves this script. */
declare const SERVICE_CONFIG: SdkConfig;
/** From `locales/en.json`, by the build. */
declare const SDK_ENGLISH: Texts['sdk'];

export const ENGLISH_WORDS: SdkWords = { lang: 'en', dir: 'ltr', ...SDK_ENGLISH };

/** Has the words of the first language that the service has. */
interface Imported {
  default: SdkWords;
  watchFraming: typeof watchFraming;
}

/** Browsers import the same address once. */
export function importFor(languages: readonly string[]): Promise<Partial<Imported>> {
  const address = `${SERVICE_CONFIG.base}/app/words.js?lang=${encodeURIComponent(languages.join())}`;
  return import(/* @vite-ignore */ address).catch(() => ({}));
}
