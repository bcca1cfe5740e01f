/** Sends a request with authentication, timeouts and retries, and interprets the response. */
import {
  API_KEY_HEADER,
  retryAfterMs,
  SESSION_ENVIRONMENT_HEADER,
  SESSION_EXPIRES_IN_HEADER,
} from '@embedded-sessions/server-types';
import { type RawResponse, readResponse, type Refusal, type Verdict } from './response.js';
import { Deadline, sleep, untilAborted } from './deadline.js';
import { refuse } from './environment.js';
import { asServiceError, type Attempt, ServiceError } from './error.js';
import { readFault } from './fault.js';
import { type Limits, type ResolvedLimits, resolveLimits } from './limits.js';
import { withoutKey } from './redact.js';
import type { Transport } from './exchange.js';

/** A request as passed to hooks: without API key and body. */
export interface RequestInfo {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Starts at 1. */
  readonly attempt: number;
}

/** The end of an attempt as passed to hooks: without the body. */
export interface ResponseInfo extends Readonly<Attempt> {
  readonly url: string;
  readonly attempt: number;
  readonly requestId?: string | undefined;
  /** Whether another attempt follows. */
  readonly willRetry: boolean;
}

/**
 * Observes a call without affecting it. The client doesn't wait for a hook's promise, and logs errors to the console.
 */
export type Hook<T> = (info: T) => unknown;

export interface RequestConfig {
  baseUrl: string;
  apiKey: string | (() => Promise<string>);
  transport: Transport;
  onRequest: Hook<RequestInfo> | undefined;
  onResponse: Hook<ResponseInfo> | undefined;
}

/** A call of the client: its limits, its deadline, and all attempts of its requests so far. */
export interface CallContext extends ResolvedLimits {
  total: Deadline;
  /** Oldest first. */
  attempts: Attempt[];
}

/** One request of a call. */
export interface OutgoingCall extends CallContext {
  path: string;
  body: object;
  idempotencyKey?: string | undefined;
  /** Accepts any body of a 2xx, unless it is an envelope with errors. */
  anyBody?: boolean;
}

export interface Sent {
  data: unknown;
  raw: unknown;
  status: number;
  requestId: string | undefined;
  attempts: readonly Attempt[];
  /** Remaining milliseconds of a created session, or NaN if the service doesn't report them. */
  lifetimeMs: number;
  /** Environment of a created session, if the service reports it. */
  environment: string | null;
}

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8000;

/** Checks the value first, because the platform's own error would quote it. */
const checkHeader = (name: string, value: string): void => {
  if (!/^[ -~]+$/.test(value ?? '')) refuse(`${name} must be printable ASCII.`);
};

const callHook = async <T>(hook: Hook<T> | undefined, info: T): Promise<void> => {
  try {
    await hook?.(info);
  } catch (error) {
    console.error('A hook failed:', error);
  }
};

/**
 * Starts a call. Everything that `work` awaits must end by `total`. Rejects with a ServiceError that contains all
 * attempts.
 */
export async function startCall<T>(
  defaults: ResolvedLimits,
  options: Limits & { signal?: AbortSignal | undefined },
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const limits = resolveLimits(options, defaults);
  const attempts: Attempt[] = [];
  const total = new Deadline(limits.totalTimeoutMs, 'totalTimeoutMs', options.signal);

  try {
    return await work({ ...limits, total, attempts });
  } catch (error) {
    throw Object.assign(asServiceError(error), { attempts });
  } finally {
    total.clear();
  }
}

/** Milliseconds until the next attempt, or `Infinity` for none. Full jitter, added to any `Retry-After`. */
const backoffMs = (
  refusal: Refusal | undefined,
  response: RawResponse | undefined,
  attempt: number,
): number => {
  if (!refusal?.retry || (refusal.retry === 'ifRepeated' && attempt === 1)) return Infinity;

  const ceilingMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  return (response?.retryAfterMs ?? 0) + Math.random() * ceilingMs;
};

/** Converts whole seconds to milliseconds. NaN for anything else, and for more than a date can hold. */
const lifetimeOf = (seconds: string | null): number =>
  /^\d{1,9}$/.test(seconds ?? '') ? Number(seconds) * 1000 : NaN;

/** One request, from its first attempt to its final response. */
class Exchange {
  readonly #config: RequestConfig;
  readonly #call: OutgoingCall;
  readonly #url: string;
  readonly #body: string;
  readonly #hasReference: boolean;
  /** Whether the service may have acted on any attempt. */
  #mayHaveArrived = false;
  /** The API key of the current attempt. */
  #key = '';
  /** Whether the current attempt has reached the transport. */
  #isSent = false;

  constructor(config: RequestConfig, call: OutgoingCall) {
    this.#config = config;
    this.#call = call;
    this.#url = config.baseUrl + call.path;
    this.#body = JSON.stringify(call.body);
    this.#hasReference = 'ClientReference' in Object(call.body);
    if (call.idempotencyKey !== undefined) checkHeader('idempotencyKey', call.idempotencyKey);
  }

  async run(): Promise<Sent> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#attempt(attempt);
      if ('sent' in result) return result.sent;
      if (result.error) throw result.error;

      await sleep(result.waitMs, this.#call.total.signal);
    }
  }

  async #attempt(
    attempt: number,
  ): Promise<{ sent: Sent } | { error: ServiceError } | { error?: undefined; waitMs: number }> {
    const { total, attempts, maxRetries } = this.#call;
    const startedAt = performance.now();
    total.throwIfOver();
    const { response, verdict } = await this.#send(attempt);

    const { refusal } = verdict;
    const { status } = response ?? {};
    const requestId = response?.requestId && this.#redact(response.requestId);
    const mayHaveArrived = refusal?.mayHaveArrived ?? true;
    const ms = Math.round(performance.now() - startedAt);
    const ended: Attempt = { status, kind: refusal?.kind, mayHaveArrived, ms };
    attempts.push(ended);
    this.#mayHaveArrived ||= mayHaveArrived;

    const waitMs = backoffMs(refusal, response, attempt);
    const willRetry = attempt <= maxRetries && performance.now() + waitMs < total.endsAt;
    void callHook(this.#config.onResponse, { ...ended, url: this.#url, attempt, requestId, willRetry });

    if (verdict.refusal)
      return willRetry ? { waitMs } : { error: this.#errorOf(verdict.refusal, status, requestId) };

    return {
      sent: {
        ...verdict,
        status: status ?? 0,
        requestId,
        attempts,
        lifetimeMs: response?.lifetimeMs ?? NaN,
        environment: response?.environment ?? null,
      },
    };
  }

  async #send(attempt: number): Promise<{ response?: RawResponse; verdict: Verdict }> {
    const { total, timeoutMs, anyBody = false } = this.#call;
    this.#key = '';
    this.#isSent = false;
    const limit = new Deadline(timeoutMs, 'timeoutMs', total);
    const { signal } = limit;

    try {
      const response = await untilAborted(signal, () => this.#request(attempt, limit));
      return { response, verdict: readResponse(response, this.#hasReference, this.#redact, anyBody) };
    } catch (error) {
      // Before sending, only the caller's own functions and values can fail.
      if (!this.#isSent && !signal.aborted) throw error;

      const cause: unknown = signal.aborted ? signal.reason : error;
      const isAttemptOver = signal.aborted && !total.signal.aborted;
      return { verdict: { refusal: readFault(cause, this.#isSent, this.#redact, isAttemptOver) } };
    } finally {
      limit.clear();
    }
  }

  async #request(attempt: number, limit: Deadline): Promise<RawResponse> {
    const { apiKey, transport, onRequest } = this.#config;
    const { idempotencyKey, path } = this.#call;
    const key = typeof apiKey === 'string' ? apiKey : await apiKey();
    limit.throwIfOver();
    checkHeader('apiKey', key);
    this.#key = key;

    const headers = {
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      [API_KEY_HEADER]: '[redacted]',
    };
    void callHook(onRequest, { url: this.#url, method: 'POST', headers, attempt });
    limit.throwIfOver();

    this.#isSent = true;
    const { status, text, header } = await transport({
      path,
      headers: { ...headers, [API_KEY_HEADER]: key },
      body: this.#body,
      signal: limit.signal,
    });

    return {
      status,
      text,
      requestId: header('x-request-id') ?? undefined,
      lifetimeMs: lifetimeOf(header(SESSION_EXPIRES_IN_HEADER.toLowerCase())),
      environment: header(SESSION_ENVIRONMENT_HEADER.toLowerCase()),
      retryAfterMs: retryAfterMs(header('retry-after'), Date.now()),
    };
  }

  readonly #redact = (text: string): string => withoutKey(text, this.#key);

  #errorOf(
    { kind, message, errors = [], details = {}, cause }: Refusal,
    status: number | undefined,
    requestId: string | undefined,
  ): ServiceError {
    return new ServiceError(kind, message, {
      errors,
      details,
      attempts: [...this.#call.attempts],
      cause,
      status,
      requestId,
      ambiguous: kind === 'referenceConflict' ? this.#mayHaveArrived : undefined,
    });
  }
}

/**
 * Sends a request until it has a final response, or time or retries run out. Rejects with a ServiceError, or with an error
 * from a function of the caller.
 */
export const send = (config: RequestConfig, call: OutgoingCall): Promise<Sent> =>
  new Exchange(config, call).run();
