/** Answers of the page API: the only place where its codes meet HTTP statuses. */
import type { Refused } from '../../domain/transactions/refused.js';
import type { Problem } from '../../domain/source.js';
import type { PageAnswer, PageError } from '../../shared/page.js';

const STATUS: Readonly<Record<PageError['code'], number>> = {
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  too_many_attempts: 409,
  expired: 410,
  internal: 500,
  payments_unavailable: 503,
};

export function done(data: unknown): Response {
  return json({ ok: true, data }, 200);
}

export function refuse(code: PageError['code'], message: string, status: number = STATUS[code]): Response {
  return json({ ok: false, errors: [{ code, message }] }, status);
}

/** What a flow refused. */
export function refusal({ code, message, field, reason }: Refused): Response {
  const about = { ...(field === undefined ? {} : { field }), ...(reason === undefined ? {} : { reason }) };
  return json({ ok: false, errors: [{ code, message, ...about }] }, STATUS[code]);
}

/** What is wrong with the inputs, all at once. */
export function invalid(problems: readonly Problem[]): Response {
  return json({ ok: false, errors: problems.map((problem) => ({ code: 'invalid', ...problem })) }, 400);
}

function json(body: PageAnswer<unknown>, status: number): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}
