import { AUTHORIZATION_VERSION, type AgreedText } from '@shared/authorization-text.js';
import { language } from '../format/locale.js';

/** Tells the service which text the payer authorizes. The service writes and stores the text itself. */
export function agreed({ terms }: { terms?: string }): AgreedText {
  return { language: language(), version: AUTHORIZATION_VERSION, terms };
}
