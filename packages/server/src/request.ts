/** Sends a request with authentication, timeouts and retries, and interprets the response. */
import { API_KEY_HEADER, retryAfterMs } from '@embedded-sessions/server-types';
import { readResponse, type Refusal, readFault, withoutSecrets } from './response.js';
import { type Deadline, sleep, startDeadline, untilAborted } from './deadline.js';
import { asServiceError, type Attempt, refuse, ServiceError } from './error.js';
import { resolveLimits, type Settings } from './settings.js';
import type { CallOptions, Hook } from './surface.js';
import type { IncomingResponse } from './transport.js';

/** A call of the client: its settings, its deadline, and all attempts of its requests so far. */
export interface CallContext extends Settings {
  total: Deadline;
  /** Oldest first. */
  attempts: Attempt[];
}

export interface OutgoingCall {
  /** Relative to the base URL. */
  path: string;
  body: object;
  idempotencyKey?: string | undefined;
  /** Accepts any body of a 2xx, unless it is an envelope with errors. */
  anyBody?: boolean;
}

export interface Sent extends Pick<IncomingResponse, 'status' | 'header'> {
  data: unknown;
  raw: unknown;
  requestId: string | undefined;
  attempts: readonly Attempt[];
}

/** The result of one attempt. Has a status if there was a response. */
type Outcome = (Omit<Sent, 'attempts'> & { refusal?: undefined }) | (Partial<Sent> & { refusal: Refusal });

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
  settings: Settings,
  options: CallOptions,
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const resolved = resolveLimits(options, settings);
  const attempts: Attempt[] = [];
  const total = startDeadline(resolved.totalTimeoutMs, 'totalTimeoutMs', options.signal);

  try {
    return await work({ ...resolved, total, attempts });
  } catch (error) {
    throw Object.assign(asServiceError(error), { attempts });
  } finally {
    total.clear();
  }
}

/** Milliseconds until the next attempt, or `Infinity` for none. Full jitter, added to any `Retry-After`. */
const backoffMs = (
  retry: Refusal['retry'] | undefined,
  header: IncomingResponse['header'] | undefined,
  attempt: number,
): number => {
  if (!retry || (retry === 'ifRepeated' && attempt === 1)) return Infinity;

  const ceilingMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  return retryAfterMs(header?.('retry-after'), Date.now()) + Math.random() * ceilingMs;
};

/**
 * Sends a request until it has a final response, or time or retries run out. Rejects with a ServiceError, or with an error
 * from a function of the caller.
 */
export async function send(context: CallContext, call: OutgoingCall): Promise<Sent> {
  const { baseUrl, total, attempts, maxRetries, onResponse } = context;
  const request = { ...call, url: baseUrl + call.path, text: JSON.stringify(call.body) };
  if (call.idempotencyKey !== undefined) checkHeader('idempotencyKey', call.idempotencyKey);
  /** Whether the service may have acted on any attempt. */
  let isAmbiguous = false;

  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    total.signal.throwIfAborted();
    const outcome = await sendOnce(context, request, attempt);

    const { refusal, status, requestId, header } = outcome;
    const mayHaveArrived = refusal?.mayHaveArrived ?? true;
    const ms = Math.round(performance.now() - startedAt);
    const ended: Attempt = { status, kind: refusal?.kind, mayHaveArrived, ms };
    attempts.push(ended);
    isAmbiguous ||= mayHaveArrived;

    const waitMs = backoffMs(refusal?.retry, header, attempt);
    const willRetry = attempt <= maxRetries && performance.now() + waitMs < total.endsAt;
    void callHook(onResponse, { ...ended, url: request.url, attempt, requestId, willRetry });

    if (!outcome.refusal) return { ...outcome, attempts };
    if (!willRetry) {
      const { kind, message, errors, details, cause } = outcome.refusal;
      const ambiguous = kind === 'referenceConflict' ? isAmbiguous : undefined;
      const known = { errors, details, cause, attempts: [...attempts], status, requestId, ambiguous };
      throw new ServiceError(kind, message, known);
    }

    await sleep(waitMs, total.signal);
  }
}

async function sendOnce(
  { apiKey, transport, onRequest, total, timeoutMs }: CallContext,
  { url, text, body, idempotencyKey, anyBody = false }: OutgoingCall & { url: string; text: string },
  attempt: number,
): Promise<Outcome> {
  let isSent = false;
  let redact = withoutSecrets('');
  const { signal, clear } = startDeadline(timeoutMs, 'timeoutMs', undefined, total);

  try {
    const response = await untilAborted(signal, async () => {
      const key = typeof apiKey === 'string' ? apiKey : await apiKey();
      signal.throwIfAborted();
      checkHeader('apiKey', key);
      redact = withoutSecrets(key);

      const headers = {
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        [API_KEY_HEADER]: '[redacted]',
      };
      void callHook(onRequest, { url, method: 'POST', headers, attempt });

      isSent = true;
      return transport({ url, headers: { ...headers, [API_KEY_HEADER]: key }, body: text, signal });
    });
    const { status, header } = response;
    const requestId = redact(header('x-request-id') ?? '') || undefined;
    const result = readResponse(response, 'ClientReference' in Object(body), redact, anyBody);
    return { ...result, status, header, requestId };
  } catch (error) {
    // Before sending, only the caller's own functions and values can fail.
    if (!isSent && !signal.aborted) throw error;

    const cause: unknown = signal.aborted ? signal.reason : error;
    const isAttemptOver = signal.aborted && !total.signal.aborted;
    return { refusal: readFault(cause, isSent, redact, isAttemptOver) };
  } finally {
    clear();
  }
}
