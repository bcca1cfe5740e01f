/** One HTTP answer, read: pure decisions about what the service said (R-53: `hasErrors` before `data`). */
import type { ErrorKind, ServiceProblem } from './error.js';

/** What came back. */
export interface RawAnswer {
  status: number;
  text: string;
  contentType: string;
  requestId?: string;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number;
}

/** A failure of one attempt, and what it means for the next. */
export interface Refusal {
  ok: false;
  kind: ErrorKind;
  message: string;
  errors: readonly ServiceProblem[];
  /** Another attempt may do better. */
  retry: boolean;
  /** The service may have acted on the attempt all the same. */
  mayHaveArrived: boolean;
  details: Record<string, unknown>;
  cause?: unknown;
}

/** What an answer means. */
export type Verdict = { ok: true; data: unknown; raw: unknown } | Refusal;

type Bag = Record<string, unknown>;
const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An item of `errors`, ours or an operator's. */
const problemOf = (raw: unknown): ServiceProblem => {
  if (!isBag(raw)) return { message: textOf(raw) ?? JSON.stringify(raw) ?? 'unknown', raw };
  const code = textOf(raw['code']) ?? textOf(raw['Code']);
  const field = textOf(raw['field']) ?? textOf(raw['Field']);
  return {
    message: textOf(raw['message']) ?? textOf(raw['Message']) ?? code ?? JSON.stringify(raw),
    raw,
    ...(code === undefined ? {} : { code }),
    ...(field === undefined ? {} : { field }),
  };
};

/** Enough to recognise a page by; a session's secret lives in a fragment, so fragments go. */
export const snippetOf = (text: string): string =>
  text
    .slice(0, 2000)
    .replaceAll(/#[^\s"'<>]+/g, '#[redacted]')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);

const KIND_OF_CODE: Readonly<Record<string, ErrorKind>> = {
  invalid_api_key: 'authentication',
  business_unit_forbidden: 'permission',
  browser_refused: 'permission',
  rate_limited: 'rateLimit',
  internal: 'server',
  idempotency_in_flight: 'server',
};
const KIND_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: 'authentication',
  403: 'permission',
  408: 'timeout',
  429: 'rateLimit',
};

/** Ours says so by its code; an operator's is guessed by a message that names the field and what is wrong with it. */
const referenceConflict = (
  status: number,
  errors: readonly ServiceProblem[],
): 'known' | 'guess' | undefined => {
  if (errors.some(({ code }) => code === 'client_reference_taken')) return 'known';
  const guess = errors.some(
    ({ message }) =>
      /client[\s_-]?reference/i.test(message) &&
      (status === 409 || /unique|already|exist|duplicat|taken|in use|been used|conflict/i.test(message)),
  );
  return guess ? 'guess' : undefined;
};

const retryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const refused = (answer: RawAnswer, errors: readonly ServiceProblem[], gaveReference: boolean): Refusal => {
  const { status } = answer;
  const conflict = gaveReference && status < 500 ? referenceConflict(status, errors) : undefined;
  const kind: ErrorKind =
    conflict !== undefined
      ? 'referenceConflict'
      : status >= 500
        ? 'server'
        : (KIND_OF_STATUS[status] ?? KIND_OF_CODE[errors[0]?.code ?? ''] ?? 'validation');
  const told = errors.map(({ message }) => message).join(' ') || 'The service gave no reason.';
  return {
    ok: false,
    kind,
    message: `The service refused the request (${status}). ${told}`,
    errors,
    retry: retryable(status),
    mayHaveArrived: status === 408 || status >= 500,
    details: conflict === 'guess' ? { guess: true } : {},
  };
};

const notTheContract = (answer: RawAnswer, redact: (text: string) => string): Refusal => {
  const { status, text, contentType } = answer;
  const snippet = snippetOf(redact(text));
  // Closed by the other side in the middle of its JSON, with no length by which the transport could tell.
  const cut = status < 400 && /^\s*\{/.test(text) && !/\}\s*$/.test(text);
  const what =
    text.trim() === '' ? 'an empty body' : `no envelope (${redact(contentType) || 'no content type'})`;
  return {
    ok: false,
    kind: cut ? 'connection' : ((status === 408 ? undefined : KIND_OF_STATUS[status]) ?? 'protocol'),
    message: cut
      ? `The answer (${status}) was cut short.`
      : `The answer (${status}) has ${what}: check that baseUrl is the API base URL and what stands in between.` +
        (snippet === '' ? '' : ` It begins: ${snippet}`),
    errors: [],
    retry: cut || retryable(status),
    mayHaveArrived: status !== 429,
    details: { snippet },
  };
};

/**
 * Decides what an answer means; `gaveReference` where the request had a `ClientReference`. What an answer of refusal
 * repeats of the API key is taken out by `redact`.
 */
export function readAnswer(
  answer: RawAnswer,
  gaveReference: boolean,
  redact: (text: string) => string,
): Verdict {
  if (answer.status === 0 || (answer.status >= 300 && answer.status < 400))
    return {
      ok: false,
      kind: 'protocol',
      message:
        'The service answered with a redirect, which is not followed because the API key would travel with it: ' +
        'set baseUrl to the final address.',
      errors: [],
      retry: false,
      mayHaveArrived: false,
      details: {},
    };
  const envelope = parse(answer.text);
  if (!isBag(envelope) || typeof envelope['hasErrors'] !== 'boolean') return notTheContract(answer, redact);
  const errors = Array.isArray(envelope['errors']) ? envelope['errors'].map(problemOf) : [];
  if (envelope['hasErrors'] || answer.status >= 400) {
    const refusal = refused(answer, errors, gaveReference);
    return {
      ...refusal,
      message: redact(refusal.message),
      errors: JSON.parse(redact(JSON.stringify(errors))) as ServiceProblem[],
    };
  }
  return { ok: true, data: envelope['data'], raw: envelope };
}
