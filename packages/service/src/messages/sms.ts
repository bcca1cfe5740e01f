import type { send } from '../webhooks/send.js';
import { signedHeaders } from '../platform/http/signed-headers.js';
import type { MessageFailure, PayerMessage } from './rules.js';

/** POSTs `{ to, text, businessUnit, messageId }` to the operator's gateway, signed according to Standard Webhooks. */
export async function sendSms(
  { post, signal }: { readonly post: typeof send; readonly signal: AbortSignal },
  { url, secrets }: { readonly url: string; readonly secrets: readonly string[] },
  { id, recipient, businessUnit }: PayerMessage,
  text: string,
): Promise<'sent' | MessageFailure> {
  const body = JSON.stringify({ to: recipient, text, businessUnit, messageId: id });
  const delivery = await post({
    url,
    body,
    headers: signedHeaders(id, body, secrets),
    // The operator's own gateway is often on a private network.
    publicOnly: false,
    signal,
  });
  if (delivery.type !== 'answered') return { error: delivery.reason, isFinal: false };
  const { status } = delivery;
  if (status >= 200 && status < 300) return 'sent';
  return { error: `HTTP ${status}`, isFinal: status === 400 || status === 404 || status === 422 };
}
