/** Standard Webhooks, as this project's service signs them. */
import type { WebhookEvent } from '@embedded-sessions/server-types';
import { ServiceError } from './error.js';

/** Headers as any framework hands them over; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** How far the webhook's time may be from now, in milliseconds; 300,000. */
  toleranceMs?: number;
  /** The time to compare with, in milliseconds since 1970; default: the machine's. */
  now?: number;
}

const TOLERANCE_MS = 5 * 60_000;
const MOST_SIGNATURES = 16;

const refuse = (reason: string, message: string): ServiceError<'signature'> =>
  new ServiceError('signature', message, { details: { reason } });

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value: unknown =
    'get' in headers && typeof headers.get === 'function'
      ? (headers as { get(name: string): unknown }).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof text === 'string' && text !== '') return text;
  throw refuse('missing_header', `The header ${name} is missing: this is not a webhook of the service.`);
};

/** A secret as a key: `whsec_` and base64; its text never gets into an error. */
export const keyOf = async (secret: string): Promise<CryptoKey> => {
  try {
    const bytes = bytesOf(secret.replace(/^whsec_/, ''));
    if (bytes.length === 0) throw new Error('empty');
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    return await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify']);
  } catch {
    throw new ServiceError(
      'configuration',
      'A webhook secret is not whsec_ and base64: check where it is read from.',
    );
  }
};

/**
 * Verifies a webhook of this project's service and answers its event; rejects with a `ServiceError` of kind
 * `signature` where it is not the service's, is too old, or was changed, and of kind `configuration` for a secret that
 * is none. Several secrets are tried in turn, for rotation. The same event may come twice: `webhook-id` is the same then.
 *
 * @param body The body as it came, before any JSON parser: one changed space breaks the signature.
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
 * if (event.type === 'payment.succeeded') markPaid(event.data.ClientReference);
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceMs = TOLERANCE_MS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof body !== 'string')
    throw new ServiceError('configuration', 'verifyWebhook needs the body as text, before any JSON parser.');
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new ServiceError('configuration', 'verifyWebhook needs at least one secret.');
  const keys = await Promise.all(secrets.map(keyOf));
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((item) => (item.startsWith('v1,') ? [item.slice('v1,'.length)] : []))
    .slice(0, MOST_SIGNATURES);

  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  if (Number.isNaN(sentAt)) throw refuse('invalid_timestamp', 'The header webhook-timestamp is not a time.');
  if (Math.abs(now - sentAt) > toleranceMs)
    throw refuse(
      'outside_tolerance',
      'The webhook is too old or from the future: it may be a replay, or the clock of this machine is wrong.',
    );

  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const verified = await Promise.all(
    keys.flatMap((key) =>
      signatures.map(async (signature) => {
        const bytes = base64Of(signature);
        return bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed));
      }),
    ),
  );
  if (!verified.includes(true))
    throw refuse(
      'no_match',
      'No signature matches: check that the secret is this endpoint’s and that the body is as it came.',
    );
  return eventOf(body);
}

const base64Of = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return bytesOf(text);
  } catch {
    return undefined;
  }
};

const eventOf = (body: string): WebhookEvent => {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    event = undefined;
  }
  const { type, data } = (event ?? {}) as { type?: unknown; data?: unknown };
  if (typeof type !== 'string' || typeof data !== 'object' || data === null)
    throw refuse('invalid_body', 'The webhook is signed well but holds no event of this service.');
  return event as WebhookEvent;
};
