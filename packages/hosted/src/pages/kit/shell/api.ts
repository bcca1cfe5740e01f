/** The page's requests to its own service, under `/s/{id}/api/`. Only `pay` charges money. */
import type { PageResponse, PageError } from '@shared/page.js';

/** Why the service refused a request. */
export type Refusal = Exclude<PageError['code'], 'unavailable' | 'internal'>;

export type Answer<T> =
  | { kind: 'ok'; data: T }
  /** The service refused, and nothing happened. */
  | { kind: 'refused'; code: Refusal; errors: PageError[] }
  /** No reliable response: the request may or may not have been carried out. */
  | { kind: 'unreachable' };

export interface Api {
  get: <T>(path: string) => Promise<Answer<T>>;
  post: <T>(path: string, body?: unknown) => Promise<Answer<T>>;
}

/** The request made before the page's script ran. Can be taken once. */
export async function openingAnswer<T>(): Promise<Answer<T> | null> {
  const opening = window.opening;
  window.opening = undefined;
  const answer = await opening;
  return answer === undefined || answer === null ? null : read<T>(answer.status, answer.body);
}

export function read<T>(status: number, body: unknown): Answer<T> {
  const answer = body as Partial<PageResponse<T>> | null;
  if (answer?.ok === true) return { kind: 'ok', data: (answer as { data: T }).data };

  const errors = answer?.ok === false ? (answer as { errors: PageError[] }).errors : [];
  const code = errors[0]?.code;
  if (code === undefined || code === 'internal' || code === 'unavailable') return { kind: 'unreachable' };
  if (status >= 500 && code !== 'payments_unavailable') return { kind: 'unreachable' };
  return { kind: 'refused', code, errors };
}
