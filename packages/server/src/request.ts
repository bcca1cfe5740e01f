/** The one fetch: authentication, timeouts, retries, and an answer that was read. */
import {
  API_KEY_HEADER,
  retryAfterMs,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
} from '@embedded-sessions/server-types';
import { type RawAnswer, readAnswer, type Refusal, type Verdict } from './answer.js';
import { type Deadline, deadline, sleep, type Stop, until } from './deadline.js';
import { refuse } from './environment.js';
import { asServiceError, type Attempt, ServiceError } from './error.js';
import { readFault, readStop } from './fault.js';
import type { Settled } from './limits.js';

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

/** One call of the caller's: all attempts of one request. */
export interface Call extends Settled {
  path: string;
  body: object;
  signal: AbortSignal | undefined;
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
  status?: number,
  requestId?: string,
): ServiceError =>
  new ServiceError(kind, message, {
    errors,
    details,
    attempts,
    cause,
    status,
    requestId,
    ambiguous:
      kind === 'referenceConflict' ? attempts.some(({ mayHaveArrived }) => mayHaveArrived) : undefined,
  });

/**
 * What `work` gives, within the time that its call has left: a promise to be waited for, or what a function of the caller's
 * chooses. Rejects as the call does that is over or given up meanwhile.
 */
export const inTime = <T>(
  { signal }: Pick<Deadline, 'signal'>,
  given: AbortSignal | undefined,
  attempts: readonly Attempt[],
  work: () => T | Promise<T>,
): Promise<T> =>
  until(signal, work).catch((error) => {
    throw signal.aborted ? errorOf(readStop(signal.reason as Stop, false, given?.reason), attempts) : error;
  });

/** Milliseconds until the next attempt, `Infinity` where there is none: full jitter, `Retry-After` honoured. */
const waitAfter = (refusal: Refusal | undefined, answer: RawAnswer | undefined, number: number): number => {
  // `own`: an earlier attempt of this very call is still being worked on, and its answer is worth waiting for.
  if (!refusal?.retry || (refusal.retry === 'own' && number === 1)) return Infinity;
  const ceilingMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (number - 1));
  return (answer?.retryAfterMs ?? 0) + Math.random() * ceilingMs;
};

/** Far more than any answer of the contract: what is longer is none, and is not read to its end. */
const MOST_BYTES = 5_000_000;

const textOf = async (response: Response): Promise<string | undefined> => {
  // Of another `fetch` it may be a stream of another kind.
  const body = response.body as AsyncIterable<Uint8Array> | null | undefined;
  if (!body?.[Symbol.asyncIterator]) return response.text();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body) {
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
  signal: AbortSignal,
  progress: Progress,
): Promise<RawAnswer> => {
  const key = typeof apiKey === 'string' ? apiKey : await apiKey();
  signal.throwIfAborted();
  checkHeader('apiKey', key);
  progress.key = key;
  const method = 'POST';
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    [API_KEY_HEADER]: '[redacted]',
  };
  void tell(onRequest, { url, method, headers, attempt: number });
  signal.throwIfAborted();
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
    text: await textOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
    lifetimeMs: lifetimeOf(response.headers.get(SESSION_EXPIRES_IN_HEADER)),
    environment: response.headers.get(SESSION_ENVIRONMENT_HEADER),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  };
};

/**
 * Sends a call until it has a final answer, or time or retries run out; rejects with a ServiceError, or with what the
 * caller's own functions threw.
 */
export async function send(config: TransportConfig, call: Call): Promise<Sent> {
  const url = config.baseUrl + call.path;
  const body = JSON.stringify(call.body);
  if (call.idempotencyKey !== undefined) checkHeader('idempotencyKey', call.idempotencyKey);
  const gaveReference = 'ClientReference' in Object(call.body);
  const attempts: Attempt[] = [];
  const endsAt = performance.now() + call.totalTimeoutMs;
  const total = deadline(call.totalTimeoutMs, 'totalTimeoutMs', call.signal, 'signal');
  try {
    await inTime(total, call.signal, attempts, () => call.before);
    for (let number = 1; ; number += 1) {
      const startedAt = performance.now();
      const progress: Progress = { key: '', sent: false };
      const redact = (text: string): string => withoutKey(text, progress.key);
      const { signal, clear } = deadline(call.timeoutMs, 'timeoutMs', total.signal);
      let answer: RawAnswer | undefined;
      let verdict: Verdict;
      try {
        answer = await until(signal, () => attempt(config, call, url, body, number, signal, progress));
        verdict = readAnswer(answer, gaveReference, redact, call.anyBody ?? false);
      } catch (error) {
        const { sent } = progress;
        // Before `fetch` only the caller's own functions and values can have failed.
        if (!sent && !signal.aborted) throw Object.assign(asServiceError(error), { attempts });
        verdict = {
          refusal: signal.aborted
            ? readStop(signal.reason as Stop, sent, call.signal?.reason)
            : readFault(error, sent, redact),
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
      const waitMs = waitAfter(refusal, answer, number);
      const willRetry = number <= call.maxRetries && performance.now() + waitMs < endsAt;
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
      if (!willRetry) throw errorOf(verdict.refusal, attempts, status, requestId);
      await inTime(total, call.signal, attempts, () => sleep(waitMs, total.signal));
    }
  } finally {
    total.clear();
  }
}
