import type { WebhookEvent } from '@embedded-sessions/server-types';
import { refuse, ServiceError } from './error.js';

/** Headers in the form of any framework; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** Maximum difference between the webhook's time and now, in milliseconds. Default: 300,000. */
  toleranceMs?: number;
  /** The current time in milliseconds since 1970. Default: the machine's clock. */
  now?: number;
}

const TOLERANCE_MS = 5 * 60_000;
const MAX_SIGNATURES = 16;

const refused = (reason: string, message: string): ServiceError<'signature'> =>
  new ServiceError('signature', message, { details: { reason } });

/** Decodes base64. Empty if it is invalid. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

/** Takes the same time wherever the bytes differ. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.reduce((diff, byte, i) => diff | (byte ^ (other[i] as number)), 0) === 0;

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const given = Object(headers) as WebhookHeaders;
  const value: unknown =
    typeof given.get === 'function'
      ? given.get(name)
      : Object.entries(given).find(([key]) => key.toLowerCase() === name)?.[1];
  const [text] = [value].flat();
  if (typeof text === 'string' && text) return text;

  throw refused('missing_header', `The header ${name} is missing.`);
};

/** Imports a secret (`whsec_` followed by base64) as a key. Errors never contain the secret. */
export const keyOf = (secret: string | undefined): Promise<CryptoKey> => {
  // `process.env.SECRET!` has type string, but may be undefined.
  const bytes = bytesOf(typeof secret === 'string' ? secret.replace(/^whsec_/, '') : '');
  if (bytes.length === 0) refuse('A webhook secret must be whsec_ followed by base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
};

/**
 * Verifies a webhook of this project's service and returns its event. Pass several secrets during a rotation. An
 * event can arrive twice, with the same `webhook-id`.
 *
 * @param body The raw body, before any JSON parser: a single changed space breaks the signature.
 * @throws ServiceError of kind `signature` if the service did not sign it, or if it is too old or changed; of kind
 *   `configuration` for an invalid secret
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? '');
 * if (event.type === 'payment.succeeded') markPaid(event.data.ClientReference);
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceMs = TOLERANCE_MS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof body !== 'string') refuse('Pass the body as raw text.');

  const secrets = [secret].flat();
  // Refuse an empty list like an empty secret.
  const keys = await Promise.all((secrets.length > 0 ? secrets : ['']).map(keyOf));

  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ', MAX_SIGNATURES)
    .map((item) => bytesOf(item.replace(/^v1,/, '')));

  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : NaN;
  if (!(Math.abs(now - sentAt) <= toleranceMs))
    throw refused('outside_tolerance', 'Webhook is too old or from the future: check the clock.');

  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // Once per secret: verifying each signature would read the body for each.
  const expected = await Promise.all(keys.map((key) => crypto.subtle.sign('HMAC', key, signed)));
  if (!expected.some((digest) => signatures.some((bytes) => isEqual(bytes, new Uint8Array(digest)))))
    throw refused('no_match', 'No signature matches: check the secret, and that the body is raw.');
  return eventOf(body);
}

const eventOf = (body: string): WebhookEvent => {
  try {
    const event = JSON.parse(body) as WebhookEvent;
    if (typeof event.type === 'string' && typeof event.data === 'object' && event.data !== null) return event;
  } catch {
    // reported below
  }
  throw refused('invalid_body', 'Signed, but not an event.');
};
