import { ANSWERED_MS, apiUrl, authorization } from '../../../page-api.js';
import { htmlLanguage } from '@shared/languages.js';
import { language } from '../format/locale.js';
import { read, type Answer, type Api } from './api.js';

export function createApi(secret: string): Api {
  const send = async <T>(path: string, init: RequestInit): Promise<Answer<T>> => {
    try {
      const response = await fetch(apiUrl(window, path), {
        ...init,
        headers: {
          ...authorization(secret),
          'content-type': 'application/json',
          // For messages to the payer: the page's language may differ from the browser's.
          'accept-language': htmlLanguage(language()),
        },
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWERED_MS),
      });
      return read<T>(response.status, await response.json());
    } catch {
      // Refused, cut off, timed out or not JSON: in all cases the outcome is unknown.
      return { kind: 'unreachable' };
    }
  };
  return {
    get: (path) => send(path, { method: 'GET' }),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body ?? {}) }),
  };
}
