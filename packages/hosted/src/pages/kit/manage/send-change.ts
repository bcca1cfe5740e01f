import type { ApiResult } from '../shell/api.js';
import type { Shell } from '../shell/shell.js';

/**
 * Sends a change. If there is no response, reads the session, because the service may have made the change. If so, the
 * page shows that session. Otherwise it stays, because the form with the error may not be part of that session's page.
 *
 * @param find takes the session of the page's flow, and returns what the response would have contained, or undefined if the
 *   session doesn't show the change
 */
export async function sendChange<T>(
  { api, update }: Shell,
  path: string,
  body: unknown,
  find: (session: never) => T | undefined,
): Promise<ApiResult<T>> {
  const result = await api.post<T>(path, body);
  if (result.kind !== 'unreachable') return result;

  const session = await api.get<never>('session');
  if (session.kind !== 'ok') return result;

  const data = find(session.data);
  if (data === undefined) return result;

  update(() => session.data);
  return { kind: 'ok', data };
}
