/** Interprets responses and failures without one, as pure functions. Checks `hasErrors` before it reads `data`. */
import { type ErrorKind, type ServiceProblem, isServiceError } from './error.js';
import type { IncomingResponse } from './transport.js';

/** The failure of one attempt, and whether to retry. */
export interface Refusal {
  kind: ErrorKind;
  message: string;
  /** Whether another attempt may succeed. `ifRepeated`: only if this was not the first attempt of the call. */
  retry: boolean | 'ifRepeated';
  /** Whether the service may have acted on the attempt. */
  mayHaveArrived: boolean;
  errors?: readonly ServiceProblem[];
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
}

export type AttemptResult = { refusal?: undefined; data: unknown; raw: unknown } | { refusal: Refusal };

type JsonObject = Record<string, unknown>;
const isJsonObject = (value: unknown): value is JsonObject => Object(value) === value;

/** Undefined if the text is no JSON, or too deeply nested to revive. */
const parse = (text: string, revive?: (name: string, value: unknown) => unknown): unknown => {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
};

/** An item of `errors`, ours or an operator's. An operator may capitalize its keys, as in requests. */
export const problemOf = (raw: unknown): ServiceProblem => {
  const text = (name: string): string | undefined => {
    const value = isJsonObject(raw)
      ? (raw[name] ?? raw[name.charAt(0).toUpperCase() + name.slice(1)])
      : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const code = text('code');
  const message = text('message') ?? code ?? (typeof raw === 'string' ? raw : JSON.stringify(raw));
  return { code, message, field: text('field'), raw };
};

const KIND_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: 'authentication',
  403: 'permission',
  408: 'timeout',
  429: 'rateLimit',
};

const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * Detects a taken reference. Our service has a code for it. For other services, this guesses from a message that names the
 * field and a conflict.
 */
const referenceConflict = (
  status: number,
  errors: readonly ServiceProblem[],
  hasReference: boolean,
): { guess?: true } | undefined => {
  if (status >= 500) return undefined;

  if (errors.some(({ code }) => code === 'client_reference_taken')) return {};

  const names = ({ message }: ServiceProblem) =>
    /client.?reference/i.test(message) &&
    (status === 409 || /unique|already|exist|duplicat|taken|used|conflict/i.test(message));
  return hasReference && errors.some(names) ? { guess: true } : undefined;
};

/** Maximum characters of a refusal in an error's message. `errors` has the rest. */
const MAX_MESSAGE = 2_000;

const refused = (status: number, errors: readonly ServiceProblem[], hasReference: boolean): Refusal => {
  const conflict = referenceConflict(status, errors, hasReference);
  const isInFlight = errors.some(({ code }) => code === 'idempotency_in_flight');
  return {
    kind: conflict
      ? 'referenceConflict'
      : (KIND_OF_STATUS[status] ?? (status >= 500 || isInFlight ? 'server' : 'validation')),
    message: `Refused (${status}): ${errors.map(({ message }) => message).join(' ')}`.slice(0, MAX_MESSAGE),
    errors,
    retry: isRetryable(status) || (isInFlight && 'ifRepeated'),
    mayHaveArrived: status === 408 || status >= 500,
    details: conflict,
  };
};

/** True for truncated JSON. Without a Content-Length, the transport can't detect that. */
const isTruncated = (text: string): boolean => /^\s*\{/.test(text) && !/\}\s*$/.test(text);

/** Maximum characters of a page to redact for its quotation. */
const MAX_QUOTED = 10_000;

const outsideContract = (status: number, text: string, redact: Redact): Refusal => {
  const snippet = redact(text.trim().slice(0, MAX_QUOTED)).replace(/\s+/g, ' ').slice(0, 200);
  const cut = status < 400 && isTruncated(text);
  return {
    kind: cut ? 'connection' : (KIND_OF_STATUS[status] ?? 'protocol'),
    message: cut
      ? 'The response was cut short.'
      : `The response (${status}) is not an envelope: check baseUrl. Body: ${snippet || 'empty'}`,
    retry: cut || isRetryable(status),
    mayHaveArrived: status !== 429,
  };
};

/** Maximum characters of a refusal: reading a longer one would block the backend. 1,000 problems, the service's limit, need 160,000. */
const MAX_REFUSAL = 250_000;

/** Removes the API key and the secrets of session URLs from a text. */
export type Redact = (text: string) => string;

/** Removes secrets from the strings and keys of a parsed JSON value. In unparsed text they may be escaped. */
const redacted = (value: unknown, redact: Redact): unknown => {
  if (typeof value === 'string') return redact(value);
  if (!isJsonObject(value) || Array.isArray(value)) return value;

  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), item]));
};

/**
 * Interprets a response.
 *
 * @param hasReference whether the request had a `ClientReference`
 * @param anyBody accepts a 2xx without an envelope
 */
export function readResponse(
  { status, text }: Pick<IncomingResponse, 'status' | 'text'>,
  hasReference: boolean,
  redact: Redact,
  anyBody: boolean,
): AttemptResult {
  // Some platforms hide a redirect behind status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return {
      refusal: {
        kind: 'protocol',
        message: 'baseUrl redirects: set it to the final address.',
        retry: false,
        mayHaveArrived: false,
      },
    };

  if (text === undefined) return { refusal: outsideContract(status, 'over 2 MB', redact) };

  const raw = parse(text);
  if (!isJsonObject(raw) || typeof raw['hasErrors'] !== 'boolean')
    return anyBody && status < 400 && !isTruncated(text)
      ? { data: undefined, raw: raw === undefined ? text : raw }
      : { refusal: outsideContract(status, text, redact) };

  if (!raw['hasErrors'] && status < 400) return { data: raw['data'], raw };

  const refusal = text.length > MAX_REFUSAL ? undefined : parse(text, (_, value) => redacted(value, redact));
  if (!isJsonObject(refusal)) return { refusal: outsideContract(status, text, redact) };

  const { errors } = refusal;
  const problems = Array.isArray(errors) ? errors.map(problemOf) : [];
  return { refusal: refused(status, problems, hasReference) };
}

/** Failures before any byte of the request was sent. */
const NO_CONNECTION = /REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT|ConnectionRefused|FailedToOpen/;
/** Certificate errors, which a retry can't fix. */
const BAD_CERTIFICATE = /CERT|TLS|SIGNED|UNABLE_TO_/;

type Copy = Error & { code?: string; cause?: Copy };
/** Copies only name, message, code and cause. A custom `fetch` may attach the request with the key to its error. */
const safeCopy = (error: unknown, redact: Redact, depth = 4): Copy | undefined => {
  // Not `instanceof Error`, because in some test runners `fetch` throws errors from another realm.
  const { name, message, code, cause } = Object(error) as Record<string, unknown>;
  if (typeof message !== 'string' || depth === 0) return undefined;

  const inner = safeCopy(cause, redact, depth - 1);
  const copy = new Error(redact(message), inner && { cause: inner }) as Copy;
  if (typeof name === 'string') copy.name = redact(name);
  if (typeof code === 'string') copy.code = redact(code);
  return copy;
};

/**
 * Interprets an error.
 *
 * @param isSent whether the request had reached the transport
 * @param isAttemptOver whether the attempt ran out of time, but the call has time left
 */
export function readFault(error: unknown, isSent: boolean, redact: Redact, isAttemptOver: boolean): Refusal {
  // An error of this package, such as a timeout.
  if (isServiceError(error))
    return {
      kind: error.kind,
      message: error.message,
      retry: isAttemptOver,
      mayHaveArrived: isSent,
      cause: error.cause,
    };

  const cause = safeCopy(error, redact);
  const { message = 'reason unknown', code = '' } = cause?.cause ?? cause ?? {};
  const isLasting = BAD_CERTIFICATE.test(code);

  return {
    kind: 'connection',
    message: `The connection failed: ${message} ${code}`.trim(),
    retry: !isLasting,
    mayHaveArrived: isSent && !isLasting && !NO_CONNECTION.test(code),
    details: { code },
    cause,
  };
}

/** Shorter keys are ordinary words, such as `test`, which responses contain for other reasons. */
const MIN_KEY_LENGTH = 8;

/** A pattern for a printable character: plain, or escaped for JSON, a URL or HTML. */
const patternOf = (character: string): string => {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return String.raw`\\{0,3}(?:\x${hex}|u00${hex}|%${hex}|&#(?:x${hex}|${code});)`;
};

/**
 * What follows `?` or `#` in a word, because a session URL has its secret there. Keeps plain digits, such as an invoice
 * number.
 */
const QUERY_OR_FRAGMENT = String.raw`(${patternOf('?')}|${patternOf('#')})(?!\d{0,12}\W{0,9}(?![^"'<>\s]))[^"'<>\s]+`;

/**
 * Removes the API key and the secrets of session URLs from texts. Builds the pattern once, because a response can have a
 * million texts.
 */
export const withoutSecrets = (key: string): Redact => {
  // Headers are sent without surrounding spaces.
  const trimmed = key.trim();
  const ofKey = trimmed.length < MIN_KEY_LENGTH ? '' : `${Array.from(trimmed, patternOf).join('')}|`;
  const pattern = new RegExp(ofKey + QUERY_OR_FRAGMENT, 'gi');
  return (text) => text.replace(pattern, '$1[redacted]');
};
