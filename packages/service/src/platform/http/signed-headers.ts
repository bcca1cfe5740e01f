import { createHmac, createSecretKey } from 'node:crypto';

/** Headers with a signature by every secret. No header contains a secret itself. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  // Real time, because receivers compare it with their own clock.
  const sentAt = Math.floor(Date.now() / 1000);
  const content = `${id}.${sentAt}.${body}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'embedded-sessions',
    'webhook-id': id,
    'webhook-timestamp': String(sentAt),
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' '),
  };
}

/** @param secret `whsec_` and the key in base64 */
function signature(secret: string, content: string): string {
  // Without a `KeyObject`, Node makes one in three times as long.
  const key = createSecretKey(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
