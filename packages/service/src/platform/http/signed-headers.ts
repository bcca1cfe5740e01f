/** Signs a POST according to Standard Webhooks. */
import { Webhook } from 'standardwebhooks';

/** Headers with a signature by every secret. No header contains a secret itself. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  // Real time, because receivers compare it with their own clock.
  const sentAt = new Date();
  return {
    'content-type': 'application/json',
    'user-agent': 'embedded-sessions',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
}
