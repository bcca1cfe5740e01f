/** The one fetch: authentication, timeouts, retries, and an answer that was read. */
import { API_KEY_HEADER } from '@embedded-sessions/server-types';
import { type RawAnswer, readAnswer, type Refusal, type Verdict } from './answer.js';
import { Deadline, sleep, Stopped, until } from './deadline.js';
import { type Attempt, type ErrorKind, ServiceError } from './error.js';
import { readFault } from './fault.js';
import type { Limits } from './surface.js';

/** A request as a hook sees it: no API key, no body. */
export interface RequestInfo {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** 1 for the first. */
  readonly attempt: number;
}

/** The end of an attempt as a hook sees it: no body. */
export interface ResponseInfo {
  readonly url: string;
  readonly attempt: number;
  readonly ms: number;
  readonly status?: number;
  readonly requestId?: string;
  /** What went wrong, when something did. */
  readonly kind?: ErrorKind;
  /** Whether another attempt follows. */
  readonly willRetry: boolean;
}

/** As the platform's `fetch`, called with one `Request`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

export interface TransportConfig {
  baseUrl: string;
  apiKey: string | (() => Promise<string>);
  fetch: Fetch;
  onRequest: ((info: RequestInfo) => void) | undefined;
  onResponse: ((info: ResponseInfo) => void) | undefined;
}

/** One call of the caller's: all attempts of one request. */
export interface Call extends Required<Limits> {
  path: string;
  body: unknown;
  signal: AbortSignal | undefined;
  idempotencyKey?: string;
}

export interface Sent {
  data: unknown;
  raw: unknown;
  status: number;
  requestId: string | undefined;
  attempts: readonly Attempt[];
}

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8000;
const MOST_BYTES = 4 * 1024 * 1024;

type Outcome = { verdict: Verdict; answer?: RawAnswer; attempt: Attempt };
type Prepared = { url: string; body: string; headers: Record<string, string>; gaveReference: boolean };

const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const textOf = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
};

/** A key that is shorter is a word (`test`), which stands in answers for other reasons. */
const SHORTEST_SECRET = 8;
const withoutKey = (text: string, key: string): string =>
  key.length < SHORTEST_SECRET
    ? text
    : [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)].reduce(
        (clean, form) => clean.replaceAll(form, '[redacted]'),
        text,
      );

const callHook = <I>(name: string, hook: ((info: I) => void) | undefined, info: I): void => {
  try {
    hook?.(info);
  } catch (error) {
    throw new ServiceError('configuration', `The ${name} hook threw: see cause.`, { cause: error });
  }
};

const bodyOf = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new ServiceError('validation', 'The request cannot be written as JSON: see cause.', {
      cause: error,
    });
  }
};

const errorOf = (
  refusal: Refusal,
  { attempts, answer }: { attempts: readonly Attempt[]; answer?: RawAnswer },
) => {
  const { kind, message, errors, details, cause } = refusal;
  const ambiguous = attempts.slice(0, -1).some(({ mayHaveArrived }) => mayHaveArrived);
  const hint =
    kind !== 'referenceConflict'
      ? ''
      : ambiguous
        ? ' An earlier attempt of this call may be what took it: ask for the session by your own records before you choose another reference.'
        : ' Choose another ClientReference.';
  return new ServiceError(kind, message + hint, {
    errors,
    attempts,
    ambiguous,
    details,
    ...(answer === undefined ? {} : { status: answer.status }),
    ...(answer?.requestId === undefined ? {} : { requestId: answer.requestId }),
    ...(cause === undefined ? {} : { cause }),
  });
};

/** Sends requests; keeps the API key to itself. */
export class Transport {
  readonly #apiKey: TransportConfig['apiKey'];
  readonly #config: Omit<TransportConfig, 'apiKey'>;

  constructor({ apiKey, ...config }: TransportConfig) {
    this.#apiKey = apiKey;
    this.#config = config;
  }

  /** Sends a call until it has a final answer, or time or retries run out; rejects with a ServiceError. */
  async send(call: Call): Promise<Sent> {
    const { baseUrl, onResponse } = this.#config;
    const { timeoutMs, totalTimeoutMs, maxRetries } = call;
    const url = baseUrl + call.path;
    const prepared: Prepared = {
      url,
      body: bodyOf(call.body),
      gaveReference: (call.body as { ClientReference?: unknown }).ClientReference !== undefined,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
      },
    };
    const attempts: Attempt[] = [];
    const total = new Deadline(totalTimeoutMs, 'total', call.signal);
    try {
      for (let number = 1; ; number += 1) {
        const own = new Deadline(timeoutMs, 'attempt', total.signal);
        const { verdict, answer, attempt } = await this.#attempt(prepared, number, own.signal).finally(
          own.clear,
        );
        attempts.push(attempt);
        const waitMs =
          verdict.ok || number > maxRetries
            ? undefined
            : waitAfter(verdict, answer, number, total.remainingMs());
        callHook('onResponse', onResponse, {
          url,
          attempt: number,
          ms: attempt.ms,
          willRetry: waitMs !== undefined,
          ...(answer === undefined ? {} : { status: answer.status }),
          ...(answer?.requestId === undefined ? {} : { requestId: answer.requestId }),
          ...(verdict.ok ? {} : { kind: verdict.kind }),
        });
        const known = { attempts, ...(answer === undefined ? {} : { answer }) };
        if (verdict.ok)
          return {
            data: verdict.data,
            raw: verdict.raw,
            status: answer?.status ?? 0,
            requestId: answer?.requestId,
            attempts,
          };
        if (waitMs === undefined) throw errorOf(verdict, known);
        await sleep(waitMs, total.signal).catch((error: unknown) => {
          throw errorOf(readFault(error, attempt.mayHaveArrived, String), known);
        });
      }
    } finally {
      total.clear();
    }
  }

  async #attempt(prepared: Prepared, number: number, signal: AbortSignal): Promise<Outcome> {
    const startedAt = performance.now();
    const after = () => Math.round(performance.now() - startedAt);
    let [key, sent] = ['', false];
    const redact = (text: string): string => withoutKey(text, key);
    try {
      key = await this.#key(signal);
      const request = new Request(prepared.url, {
        method: 'POST',
        headers: { ...prepared.headers, [API_KEY_HEADER]: key },
        body: prepared.body,
        redirect: 'manual',
        signal,
      });
      callHook('onRequest', this.#config.onRequest, {
        url: prepared.url,
        method: 'POST',
        headers: { ...prepared.headers, [API_KEY_HEADER]: '[redacted]' },
        attempt: number,
      });
      const response = await until(signal, () => {
        sent = true;
        return this.#config.fetch(request);
      });
      const text = await until(signal, () => textOf(response));
      const requestId = response.headers.get('x-request-id') ?? response.headers.get('request-id');
      const retryAfterMs = retryAfterOf(response.headers);
      const answer: RawAnswer = {
        status: response.status,
        text,
        contentType: response.headers.get('content-type') ?? '',
        ...(requestId === null ? {} : { requestId: redact(requestId) }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      };
      const verdict = readAnswer(answer, prepared.gaveReference, redact);
      const fault = verdict.ok ? {} : { kind: verdict.kind };
      const mayHaveArrived = verdict.ok || verdict.mayHaveArrived;
      return { verdict, answer, attempt: { status: answer.status, ...fault, ms: after(), mayHaveArrived } };
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const verdict = readFault(signal.aborted ? signal.reason : error, sent, redact);
      const { kind, mayHaveArrived } = verdict;
      return { verdict, attempt: { kind, ms: after(), mayHaveArrived } };
    }
  }

  async #key(signal: AbortSignal): Promise<string> {
    const given = this.#apiKey;
    let key: unknown = given;
    if (typeof given === 'function') {
      try {
        key = await until(signal, given);
      } catch (error) {
        if (error instanceof Stopped) throw error;
        throw new ServiceError('configuration', 'The apiKey function failed: see cause.', { cause: error });
      }
    }
    // Checked here because a header that cannot be sent is told by the platform with its value in the message.
    if (typeof key !== 'string' || !/^[\u0021-\u007e]+$/.test(key))
      throw new ServiceError(
        'configuration',
        'The API key is not a printable text without spaces: check where it is read from (a line break at its end?).',
      );
    return key;
  }
}

/** Milliseconds until the next attempt, or undefined where there is none: full jitter, `Retry-After` honoured. */
function waitAfter(
  verdict: Refusal,
  answer: RawAnswer | undefined,
  number: number,
  remainingMs: number,
): number | undefined {
  // An earlier attempt of this very call is still being worked on: its answer is worth waiting for.
  const ownStillRuns = number > 1 && verdict.errors.some(({ code }) => code === 'idempotency_in_flight');
  if (!verdict.retry && !ownStillRuns) return undefined;
  const ceilingMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (number - 1));
  const waitMs = (answer?.retryAfterMs ?? 0) + Math.random() * ceilingMs;
  return waitMs < remainingMs ? waitMs : undefined;
}
