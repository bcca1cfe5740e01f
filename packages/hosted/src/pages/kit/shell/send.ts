import { REQUEST_TIMEOUT_MS, apiUrl, authorization } from '../../../page-state.js';
import { htmlLanguage } from '@shared/languages.js';
import type { PageError, PageSession, Reason } from '@shared/page.js';
import { language } from '../format/locale.js';
import { read, type ApiResult, type Api } from './api.js';

/** @param onSession called with the current session if the service refuses a request because the page is out of date */
export function createApi(secret: string, onSession: (session: PageSession) => void): Api {
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
  const get = <T>(path: string): Promise<ApiResult<T>> => send(path, { method: 'GET' });
  return {
    get,
    async post<T>(path: string, body?: unknown) {
      const result = await send<T>(path, { method: 'POST', body: JSON.stringify(body ?? {}) });
      if (result.kind === 'refused' && result.errors.some(isOutdated)) {
        const session = await get<PageSession>('session');
        if (session.kind === 'ok') onSession(session.data);
      }
      return result;
    },
  };
}

/** Refusals because of a change that the page doesn't show yet. */
const OUTDATED: readonly (string | undefined)[] = [
  'terms_changed',
  'already_scheduled',
  'method_removed',
  'not_enrolled',
  'enrolled_by_another',
] satisfies Reason[];

/** Something has changed elsewhere, or a day can no longer be chosen. */
const isOutdated = ({ reason, field }: PageError): boolean => OUTDATED.includes(reason) || field === 'date';

/** A random 128-bit request id. `crypto.randomUUID` exists only on `https:` and loopback pages. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
