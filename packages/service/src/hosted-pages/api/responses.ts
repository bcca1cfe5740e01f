/** Responses of the page API. The only place that maps its codes to HTTP statuses. */
import type { ServiceError } from '../../core/error.js';
import type { Result } from '../../core/result.js';
import type { PageResponse, PageError } from '../../shared/page.js';
import { defined } from '../../core/defined.js';
import { countWritten, currentContext } from '../../platform/context.js';
import { json, guarded } from '../../platform/http/envelope.js';

const STATUS: Readonly<Record<PageError['code'], number>> = {
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  too_many_attempts: 409,
  expired: 410,
  canceled: 410,
  rate_limited: 429,
  internal: 500,
  payments_unavailable: 503,
  unavailable: 503,
};

/** `returnUrl`: where the page of a finished session links back to. Reading it parses the session's request. */
export function pageResponse(outcome: Result<unknown>, returnUrl: () => string | undefined): Response {
  if (outcome.ok) return page({ ok: true, data: outcome.value }, 200);
  if (outcome.code === 'invalid')
    return failed(
      outcome.problems.map((problem) => ({ code: 'invalid', ...problem })),
      STATUS.invalid,
    );

  const { code, message, reason } = outcome;
  const ended = code === 'expired' || code === 'canceled' ? { returnUrl: returnUrl() } : { reason };
  const headers = code === 'rate_limited' ? { 'retry-after': String(RETRY_AFTER_S) } : {};
  return failed([{ code, message, ...defined(ended) }], STATUS[code], headers);
}

/** After a refusal by a rule, which doesn't know when it will end. */
const RETRY_AFTER_S = 60;

/** the request may have had an effect and is safe to retry. */
export function unavailableResponse({ retryAfter }: ServiceError): Response {
  const error = { code: 'unavailable', message: 'This cannot be reached right now. Try again.' } as const;
  return failed([error], STATUS.unavailable, { 'retry-after': String(retryAfter) });
}

/** the request had no effect. */
export function tooManyResponse(retryAfter: number): Response {
  const message = `Too many requests. Wait ${retryAfter} s and try again.`;
  return failed([{ code: 'rate_limited', message }], STATUS.rate_limited, {
    'retry-after': String(retryAfter),
  });
}

/** A refusal before any work is done. */
export function refuse(code: PageError['code'], message: string, status: number = STATUS[code]): Response {
  return failed([{ code, message }], status);
}

function failed(errors: PageError[], status: number, headers: Record<string, string> = {}): Response {
  return page({ ok: false, errors }, status, headers);
}

function page(body: PageResponse<unknown>, status: number, headers: Record<string, string> = {}): Response {
  const text = JSON.stringify(body);
  countWritten(text.length);
  return json(text, status, guarded(currentContext().log.requestId, headers));
}
