/** For your own tests: signs webhooks like the service. */
import type { WebhookData, WebhookEvent } from '@embedded-sessions/server-types';
import { keyOf } from './webhook.js';

/** See {@link signWebhook}. */
export interface SignedWebhook {
  body: string;
  headers: {
    'content-type': string;
    'webhook-id': string;
    'webhook-timestamp': string;
    'webhook-signature': string;
  };
}

/**
 * Creates a webhook as the service would send it. `secret` is `whsec_` and base64.
 *
 * @example
 * const { body, headers } = await signWebhook(event, 'whsec_c2VjcmV0');
 * const response = await app.request('/webhooks', { method: 'POST', body, headers });
 */
export async function signWebhook(
  event: Omit<WebhookEvent, 'data'> & { data: WebhookData },
  secret: string,
  { id = `msg_${crypto.randomUUID()}`, at = Date.now() }: { id?: string; at?: number } = {},
): Promise<SignedWebhook> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(at / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), signed));

  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
    },
  };
}
