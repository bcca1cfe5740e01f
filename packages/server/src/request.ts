/** The one fetch: authentication, timeouts, retries, and an answer that was read. */
import {
  API_KEY_HEADER,
  retryAfterMs,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
} from '@embedded-sessions/server-types';
import { type RawAnswer, readAnswer, type Refusal, type Verdict } from './answer.js';
import { type Deadline, deadline, sleep, until } from './deadline.js';
import { refuse } from './environment.js';
import { asServiceError, type Attempt, ServiceError } from './error.js';
import { readFault } from './fault.js';
import { type Limits, limitsOf, type Settled } from './limits.js';

/** A request as a hook sees it: no API key, no body. */
export interface RequestInfo {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** 1 for the first. */
  readonly attempt: number;
}

/** The end of an attempt as a hook sees it: no body. */
export interface ResponseInfo extends Readonly<Attempt> {
  readonly url: string;
  readonly attempt: number;
  readonly requestId?: string | undefined;
  /** Whether another attempt follows. */
  readonly willRetry: boolean;
}

/**
 * Watches a call and has no part in it: it may be asynchronous and is not waited for, and what it throws or rejects with
 * goes to the console.
 */
export type Hook<T> = (info: T) => unknown;

/** As the platform's `fetch`, called with one `Request`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

export interface TransportConfig {
  baseUrl: string;
  apiKey: string | (() => Promise<string>);
  /** The caller's; else the platform's. */
  fetch: Fetch | undefined;
  onRequest: Hook<RequestInfo> | undefined;
  onResponse: Hook<ResponseInfo> | undefined;
}

/** One call of the caller's, with all that belongs to it: one limit of time is over everything. */
export interface Course extends Settled {
  total: Deadline;
  /** Of every request so far, oldest first. */
  attempts: Attempt[];
}

/** One request of a call, in all its attempts. */
export interface Call extends Course {
  path: string;
  body: object;
  idempotencyKey?: string | undefined;
  /** A 2xx is an answer whatever its body holds, unless that is an envelope with errors. */
  anyBody?: boolean;
  /** To be waited for before anything is sent. */
  before?: Promise<unknown> | undefined;
}

export interface Sent {
  data: unknown;
  raw: unknown;
  status: number;
  requestId: string | undefined;
  attempts: readonly Attempt[];
  /** Milliseconds that a created session had at its answer, where the service said so; else NaN. */
  lifetimeMs: number;
  /** That a created session is of, where the service said so. */
  environment: string | null;
}

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8000;
/** A key that is shorter is a word (`test`), which stands in answers for other reasons. */
const SHORTEST_SECRET = 8;

/** Checked here because the platform tells of a header that cannot be sent with its value in the message. */
const checkHeader = (name: string, value: string): void => {
  if (!/^[ -~]+$/.test(value ?? '')) refuse(`${name} must be printable ASCII.`);
};

const tell = async <T>(hook: Hook<T> | undefined, info: T): Promise<void> => {
  try {
    await hook?.(info);
  } catch (error) {
    console.error('A hook failed:', error);
  }
};

/** A printable character as an answer may write it: itself, or escaped as in JSON, a URL or HTML. */
const shapesOf = (character: string): string => {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return String.raw`\\{0,3}(?:\x${hex}|u00${hex}|%${hex}|&#x${hex};|&#${code};)`;
};

const withoutKey = (text: string, key: string): string => {
  // As a header carries it.
  const bare = key.trim();
  if (bare.length < SHORTEST_SECRET) return text;
  return text.replace(new RegExp(Array.from(bare, shapesOf).join(''), 'gi'), '[redacted]');
};

const errorOf = (
  { kind, message, errors = [], details = {}, cause }: Refusal,
  attempts: readonly Attempt[],
  arrived: boolean,
  status: number | undefined,
  requestId: string | undefined,
): ServiceError =>
  new ServiceError(kind, message, {
    errors,
    details,
    attempts: [...attempts],
    cause,
    status,
    requestId,
    ambiguous: kind === 'referenceConflict' ? arrived : undefined,
  });

/**
 * Begins a call. What its work waits for, of the service or of the caller's own functions, is to end with `total`; whatever
 * it rejects with is a ServiceError that tells all attempts.
 */
export async function begin<T>(
  defaults: Settled,
  options: Limits & { signal?: AbortSignal | undefined },
  work: (course: Course) => Promise<T>,
): Promise<T> {
  const limits = limitsOf(options, defaults);
  const attempts: Attempt[] = [];
  const total = deadline(limits.totalTimeoutMs, 'totalTimeoutMs', { signal: options.signal });
  try {
    return await work({ ...limits, total, attempts });
  } catch (error) {
    throw Object.assign(asServiceError(error), { attempts });
  } finally {
    total.clear();
  }
}

/** Milliseconds until the next attempt, `Infinity` where there is none: full jitter, `Retry-After` honoured. */
const waitAfter = (refusal: Refusal | undefined, answer: RawAnswer | undefined, number: number): number => {
  // `own`: an earlier attempt of this very call is still being worked on, and its answer is worth waiting for.
  if (!refusal?.retry || (refusal.retry === 'own' && number === 1)) return Infinity;
  const ceilingMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (number - 1));
  return (answer?.retryAfterMs ?? 0) + Math.random() * ceilingMs;
};

/** Far more than any answer of the contract: what is longer is none, and is not read to its end. */
const MOST_BYTES = 5_000_000;

const textOf = async (response: Response, signal: AbortSignal): Promise<string | undefined> => {
  // Of another `fetch` it may be a stream of another kind.
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  if (!body?.[Symbol.asyncIterator]) return response.text();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body) {
    // A `fetch` of the caller's may not listen to the signal of its request.
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > MOST_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

/** Milliseconds from whole seconds; NaN for what is none, or more than a date can hold. */
const lifetimeOf = (seconds: string | null): number =>
  /^\d{1,9}$/.test(seconds ?? '') ? Number(seconds) * 1000 : NaN;

/** How far an attempt has come: what a failure of it may tell, and must not. */
interface Progress {
  key: string;
  /** The request was handed to `fetch`. */
  sent: boolean;
}

const attempt = async (
  { apiKey, fetch: own, onRequest }: TransportConfig,
  { idempotencyKey }: Call,
  url: string,
  body: string,
  number: number,
  { signal, heed }: Deadline,
  progress: Progress,
): Promise<RawAnswer> => {
  const key = typeof apiKey === 'string' ? apiKey : await apiKey();
  heed();
  checkHeader('apiKey', key);
  progress.key = key;
  const method = 'POST';
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    [API_KEY_HEADER]: '[redacted]',
  };
  void tell(onRequest, { url, method, headers, attempt: number });
  heed();
  const init = {
    method,
    headers: { ...headers, [API_KEY_HEADER]: key },
    body,
    signal,
    redirect: 'manual',
  } as const;
  const request = own && new Request(url, init);
  progress.sent = true;
  // Of a Request the platform would make another one, which is much of what a call costs.
  const response = await (request ? own(request) : fetch(url, init));
  if (typeof response?.headers?.get !== 'function') refuse('fetch answered no Response.');
  return {
    status: response.status,
    text: await textOf(response, signal),
    requestId: response.headers.get('x-request-id') ?? undefined,
    lifetimeMs: lifetimeOf(response.headers.get(SESSION_EXPIRES_IN_HEADER)),
    environment: response.headers.get(SESSION_ENVIRONMENT_HEADER),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  };
};

/**
 * Sends a request until it has a final answer, or time or retries run out; rejects with a ServiceError, with what the
 * caller's own functions threw, or with why the time of the call is over.
 */
export async function send(config: TransportConfig, call: Call): Promise<Sent> {
  const url = config.baseUrl + call.path;
  const body = JSON.stringify(call.body);
  if (call.idempotencyKey !== undefined) checkHeader('idempotencyKey', call.idempotencyKey);
  const gaveReference = 'ClientReference' in Object(call.body);
  const { total, attempts } = call;
  let arrived = false;
  await until(total.signal, () => call.before);
  for (let number = 1; ; number += 1) {
    const startedAt = performance.now();
    const progress: Progress = { key: '', sent: false };
    const redact = (text: string): string => withoutKey(text, progress.key);
    total.heed();
    const limit = deadline(call.timeoutMs, 'timeoutMs', total);
    const { signal, clear } = limit;
    let answer: RawAnswer | undefined;
    let verdict: Verdict;
    try {
      answer = await until(signal, () => attempt(config, call, url, body, number, limit, progress));
      verdict = readAnswer(answer, gaveReference, redact, call.anyBody ?? false);
    } catch (error) {
      const { sent } = progress;
      // Before `fetch` only the caller's own functions and values can have failed.
      if (!sent && !signal.aborted) throw error;
      verdict = {
        refusal: readFault(
          signal.aborted ? signal.reason : error,
          sent,
          redact,
          signal.aborted && !total.signal.aborted,
        ),
      };
    } finally {
      clear();
    }
    const { refusal } = verdict;
    const { status } = answer ?? {};
    const requestId = answer?.requestId && redact(answer.requestId);
    const mayHaveArrived = refusal?.mayHaveArrived ?? true;
    const ms = Math.round(performance.now() - startedAt);
    const ended: Attempt = { status, kind: refusal?.kind, mayHaveArrived, ms };
    attempts.push(ended);
    arrived ||= mayHaveArrived;
    const waitMs = waitAfter(refusal, answer, number);
    const willRetry = number <= call.maxRetries && performance.now() + waitMs < total.endsAt;
    void tell(config.onResponse, { ...ended, url, attempt: number, requestId, willRetry });
    if (!verdict.refusal)
      return {
        ...verdict,
        status: status ?? 0,
        requestId,
        attempts,
        lifetimeMs: answer?.lifetimeMs ?? NaN,
        environment: answer?.environment ?? null,
      };
    if (!willRetry) throw errorOf(verdict.refusal, attempts, arrived, status, requestId);
    await sleep(waitMs, total.signal);
  }
}
