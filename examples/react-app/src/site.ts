/** Calls the site's own backend, which holds the API key and sets the amounts. */
import type { EmbeddedPaymentError, Flow, SessionRef } from '@embedded-sessions/react';
import type { SiteView } from '../../merchant-backend/src/page.js';

export type { SiteView } from '../../merchant-backend/src/page.js';

async function call<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/api${path}`, init).catch((cause: unknown) => {
    throw new Error('Harborlight cannot be reached. Check your connection and try again.', { cause });
  });
  const data = (await response.json().catch(() => null)) as { error?: { message: string } } | null;
  if (response.ok && data) return data as T;
  throw new Error(
    data?.error?.message ?? `Harborlight returned an error (${response.status}). Try again in a moment.`,
  );
}

export const readAccount = (): Promise<SiteView> => call('/account');
/** Returns a session for this flow, or throws an error to show to the customer. */
export const createSession = (flow: Flow, signal: AbortSignal): Promise<SessionRef> =>
  call(`/sessions/${flow}`, { method: 'POST', signal });
export const confirmPayments = (): Promise<SiteView> => call('/payments/confirm', { method: 'POST' });
export const stopAutopay = (): Promise<SiteView> => call('/autopay/stop', { method: 'POST' });
export const postNextBill = (): Promise<SiteView> => call('/next-bill', { method: 'POST' });
export const changeEmail = (emailAddress: string): Promise<SiteView> =>
  call('/email', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ emailAddress }),
  });

/** Returns the message for the customer: the backend's if it refused, otherwise the loader's. */
export const messageOf = ({ code, message, cause }: EmbeddedPaymentError): string =>
  code === 'session_failed' && cause instanceof Error ? cause.message : message;
