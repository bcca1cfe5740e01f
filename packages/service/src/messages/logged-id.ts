import { hash } from 'node:crypto';
import type { PayerMessage } from './rules.js';

/**
 * The id in logs, which is also that of the `Message-ID`, because mail servers log it. Hashed, because the id of an e-mail is part
 * of its unsubscribe link.
 */
export function loggedId({ id, channel }: Pick<PayerMessage, 'id' | 'channel'>): string {
  return channel === 'email' ? hash('sha256', id, 'base64url') : id;
}
