import { REQUEST_TIMEOUT_MS, apiUrl, authorization } from '../../../page-api.js';
import { htmlLanguage } from '@shared/languages.js';
import { language } from '../format/locale.js';
import { read, type ApiResult, type Api } from './api.js';

export function createApi(secret: string): Api {
  const send = async <T>(path: string, init: RequestInit): Promise<ApiResult<T>> => {
    try {
      const response = await fetch(apiUrl(window, path), {
        ...init,
        headers: {
          ...authorization(secret),
          'content-type': 'application/json',
          // For messages to the payer. May differ from the browser's language.
          'accept-language': htmlLanguage(language()),
        },
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      return read<T>(response.status, await response.json());
    } catch {
      // Connection failed, timed out or not JSON: the outcome is unknown.
      return { kind: 'unreachable' };
    }
  };
  return {
    get: (path) => send(path, { method: 'GET' }),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body ?? {}) }),
  };
}
