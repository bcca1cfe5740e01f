import { AUTHORIZATION_VERSION, type Agreed } from '@shared/authorization-text.js';
import { language } from '../format/locale.js';

/** Tells the service which words the payer authorizes. It writes and stores them itself. */
export function agreed(): Agreed {
  return { language: language(), version: AUTHORIZATION_VERSION };
}
