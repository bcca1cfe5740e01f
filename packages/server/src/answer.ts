/** One HTTP answer, read: pure decisions about what the service said (R-53: `hasErrors` before `data`). */
import type { ErrorKind, ServiceProblem } from './error.js';

/** What came back. */
export interface RawAnswer {
  status: number;
  /** Undefined where it is longer than any answer of the contract, and was not read to its end. */
  text: string | undefined;
  requestId: string | undefined;
  /** Milliseconds that a created session still has, where the service says so; else NaN. */
  lifetimeMs: number;
  /** That a created session is of, where the service says so. */
  environment: string | null;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs: number;
}

/** A failure of one attempt, and what it means for the next. */
export interface Refusal {
  kind: ErrorKind;
  message: string;
  /** Another attempt may do better; `own`: where an attempt of the same call came before. */
  retry: boolean | 'own';
  /** The service may have acted on the attempt all the same. */
  mayHaveArrived: boolean;
  errors?: readonly ServiceProblem[];
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** What an attempt came to: data, or a refusal. */
export type Verdict = { refusal?: undefined; data: unknown; raw: unknown } | { refusal: Refusal };

type Bag = Record<string, unknown>;
const isBag = (value: unknown): value is Bag => Object(value) === value;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** An item of `errors`, ours or an operator's, whose keys may begin with a capital as those of the requests do. */
export const problemOf = (raw: unknown): ServiceProblem => {
  const text = (name: string): string | undefined => {
    const value = isBag(raw) ? (raw[name] ?? raw[name.charAt(0).toUpperCase() + name.slice(1)]) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const code = text('code');
  const message = text('message') ?? code ?? (typeof raw === 'string' ? raw : JSON.stringify(raw));
  return { code, message, field: text('field'), raw };
};

/** Enough to recognise a page by; a session's secret lives in a fragment, so fragments go. */
const snippetOf = (text: string): string =>
  text
    .replace(/#[^\s"'<>]+/g, '#[redacted]')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
    .trim();

/** In words that somebody wrote `#12` may be a number, so the fragments of what has a path go alone. */
const withoutFragments = (text: string): string =>
  text.replace(/[^\s"'<>]+/g, (word) =>
    word.replace(/#.+/, (fragment, at: number) => (word.lastIndexOf('/', at) < 0 ? fragment : '#[redacted]')),
  );

const KIND_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: 'authentication',
  403: 'permission',
  408: 'timeout',
  429: 'rateLimit',
};

const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Ours says so by its code; an operator's is guessed, where a reference was given, by a message that names the field and what is wrong with it. */
const referenceConflict = (
  status: number,
  errors: readonly ServiceProblem[],
  gaveReference: boolean,
): { guess?: true } | undefined => {
  if (status >= 500) return undefined;
  if (errors.some(({ code }) => code === 'client_reference_taken')) return {};
  const names = ({ message }: ServiceProblem) =>
    /client[\s_-]?reference/i.test(message) &&
    (status === 409 || /unique|already|exist|duplicat|taken|used|conflict/i.test(message));
  return gaveReference && errors.some(names) ? { guess: true } : undefined;
};

const refused = (status: number, errors: readonly ServiceProblem[], gaveReference: boolean): Refusal => {
  const conflict = referenceConflict(status, errors, gaveReference);
  const stillRuns = errors.some(({ code }) => code === 'idempotency_in_flight');
  return {
    kind: conflict
      ? 'referenceConflict'
      : (KIND_OF_STATUS[status] ?? (status >= 500 || stillRuns ? 'server' : 'validation')),
    message: `Refused (${status}): ${errors.map(({ message }) => message).join(' ')}`,
    errors,
    retry: isRetryable(status) || (stillRuns && 'own'),
    mayHaveArrived: status === 408 || status >= 500,
    details: conflict ?? {},
  };
};

/** Closed by the other side in the middle of its JSON, with no length by which the transport could tell. */
const isCut = (text: string): boolean => /^\s*\{/.test(text) && !/\}\s*$/.test(text);

const notTheContract = (status: number, text: string): Refusal => {
  const snippet = snippetOf(text);
  const cut = status < 400 && isCut(text);
  return {
    kind: cut ? 'connection' : (KIND_OF_STATUS[status] ?? 'protocol'),
    message: cut
      ? 'The answer was cut short.'
      : `The answer (${status}) is no envelope: check baseUrl. It is ${snippet || 'an empty body'}`,
    retry: cut || isRetryable(status),
    mayHaveArrived: status !== 429,
  };
};

/** Takes the API key out of a text. */
export type Redact = (text: string) => string;

/** One value of a JSON text, without secrets in its words or names; the text itself may have written them with escapes. */
const redacted = (value: unknown, redact: Redact): unknown => {
  if (typeof value === 'string') return withoutFragments(redact(value));
  if (!isBag(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), item]));
};

/**
 * Decides what an answer means; `gaveReference` where the request had a `ClientReference`, `anyBody` where a 2xx need not
 * hold the envelope.
 */
export function readAnswer(
  answer: RawAnswer,
  gaveReference: boolean,
  redact: Redact,
  anyBody: boolean,
): Verdict {
  const { status, text } = answer;
  // 0 is how some platforms hide a redirect.
  if (status === 0 || (status >= 300 && status < 400))
    return {
      refusal: {
        kind: 'protocol',
        message: 'A redirect is not followed: set baseUrl to its target.',
        retry: false,
        mayHaveArrived: false,
      },
    };
  if (text === undefined)
    return {
      refusal: {
        kind: 'protocol',
        message: 'The answer is over 5 MB: check baseUrl.',
        retry: isRetryable(status),
        mayHaveArrived: status !== 429,
      },
    };
  const raw = parse(text);
  if (!isBag(raw) || typeof raw['hasErrors'] !== 'boolean')
    return anyBody && status < 400 && !isCut(text)
      ? { data: undefined, raw: raw === undefined ? text : raw }
      : { refusal: notTheContract(status, redact(text)) };
  if (!raw['hasErrors'] && status < 400) return { data: raw['data'], raw };
  const { errors } = JSON.parse(text, (_, value: unknown) => redacted(value, redact)) as Bag;
  const problems = Array.isArray(errors) ? errors.map(problemOf) : [];
  return { refusal: refused(status, problems, gaveReference) };
}
