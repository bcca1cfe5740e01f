import type { Api, ApiResult } from '../shell/api.js';

/**
 * Sends a change. If there is no response, reads the session, because the service may have made the change.
 *
 * @param find takes the session of the page's flow, and returns what the response would have contained, or undefined if the
 *   session doesn't show the change
 */
export async function sendChange<T>(
  api: Api,
  path: string,
  body: unknown,
  find: (session: never) => T | undefined,
): Promise<ApiResult<T>> {
  const result = await api.post<T>(path, body);
  if (result.kind !== 'unreachable') return result;

  const session = await api.get<never>('session');
  const data = session.kind === 'ok' ? find(session.data) : undefined;
  return data === undefined ? result : { kind: 'ok', data };
}
