/** The inspector's token comes in the URL fragment and is stored for this tab. */
const STORAGE_KEY = 'inspector-token';

/** Moves the token from the address to storage, so that it is not copied or bookmarked. */
export function takeToken(): void {
  if (location.hash.length < 2) return;
  sessionStorage.setItem(STORAGE_KEY, location.hash.slice(1).trim());
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function token(): string {
  return sessionStorage.getItem(STORAGE_KEY) ?? '';
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${token()}`, ...more };
}

export const get = <T>(path: string): Promise<T> => request<T>('GET', path);
export const post = <T>(path: string, body: object = {}): Promise<T> => request<T>('POST', path, body);
export const remove = <T>(path: string): Promise<T> => request<T>('DELETE', path);

/** @throws Error with the service's message */
async function request<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: headers({ accept: 'application/json', 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The service does not respond. Is it still running?');
  });
  const data = (await response.json().catch(() => ({}))) as T & { error?: string };
  if (!response.ok) throw new Error(data.error ?? `Refused with ${response.status}.`);
  return data;
}
