/** The page API, under `/s/{id}/api/`. Only `pay` charges money. */
import type { PageResponse, PageError } from '@shared/page.js';

/** Why the service refused a request. */
export type Refusal = Exclude<PageError['code'], 'unavailable' | 'internal'>;

export type ApiResult<T> =
  | { kind: 'ok'; data: T }
  /** The service refused, and nothing happened. */
  | { kind: 'refused'; code: Refusal; errors: PageError[] }
  /** No usable response. The request may or may not have been processed. */
  | { kind: 'unreachable' };

export interface Api {
  get: <T>(path: string) => Promise<ApiResult<T>>;
  /** @param again if the first request had no response. Then a refusal of this one doesn't end the flow */
  post: <T>(path: string, body?: unknown, again?: true) => Promise<ApiResult<T>>;
}

/** The result of the request that the inline script sent. Null on every later call. */
export async function openingResult<T>(): Promise<ApiResult<T> | null> {
  const opening = window.opening;
  window.opening = undefined;
  const result = await opening;
  return result === undefined || result === null ? null : read<T>(result.status, result.body);
}

export function read<T>(status: number, body: unknown): ApiResult<T> {
  const result = body as Partial<PageResponse<T>> | null;
  if (result?.ok === true) return { kind: 'ok', data: (result as { data: T }).data };

  const errors = result?.ok === false ? (result as { errors: PageError[] }).errors : [];
  const code = errors[0]?.code;
  if (code === undefined || code === 'internal' || code === 'unavailable') return { kind: 'unreachable' };
  if (status >= 500 && code !== 'payments_unavailable') return { kind: 'unreachable' };
  return { kind: 'refused', code, errors };
}
