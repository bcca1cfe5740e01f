/** Calls the service behind the inspector. */
import { token } from './token.js';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${token()}`, ...more };
}

export const get = <T>(path: string): Promise<T> => request<T>('GET', path);
export const post = <T>(path: string, body: object = {}): Promise<T> => request<T>('POST', path, body);
export const remove = <T>(path: string): Promise<T> => request<T>('DELETE', path);

/** @throws Refused with the service's message */
async function request<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: headers({ accept: 'application/json', 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refused(0, 'The service does not respond. Is it still running?');
  });
  const data = (await response.json().catch(() => ({}))) as T & { message?: string };
  if (!response.ok) throw new Refused(response.status, data.message ?? `Refused with ${response.status}.`);
  return data;
}
