/** Calls the site's own backend, which holds the API key and sets the amounts. */
import type { EmbeddedPaymentError, Flow, SessionRef } from '@embedded-sessions/react';
import type { SiteView } from '../../merchant-backend/src/page.js';

export type { AccountView, SiteView } from '../../merchant-backend/src/page.js';

async function call<T>(path: string, body?: Record<string, string>, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api${path}`, {
    ...(body && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    throw new Error('Harborlight cannot be reached. Check your connection and try again.', { cause });
  });
  const data = (await response.json().catch(() => null)) as { error?: { message: string } } | null;
  if (response.ok && data) return data as T;
  throw new Error(
    data?.error?.message ?? `Harborlight returned an error (${response.status}). Try again in a moment.`,
  );
}

export const readAccount = (): Promise<SiteView> => call('/account');
/** Returns a new session for this flow, or throws an error to show to the customer. */
export const createSession = (flow: Flow, account: string | null, signal: AbortSignal): Promise<SessionRef> =>
  call(`/sessions/${flow}`, account === null ? {} : { account }, signal);
export const confirmPayments = (): Promise<SiteView> => call('/payments/confirm', {});
export const changeProfile = (profile: Record<string, string>): Promise<SiteView> =>
  call('/profile', profile);
export const stopAutopay = (account: string): Promise<SiteView> => call('/autopay/stop', { account });
export const postNextBill = (): Promise<SiteView> => call('/next-bill', {});

/** Returns the message for the customer: the backend's if it refused, otherwise the loader's. */
export const messageOf = ({ code, message, cause }: EmbeddedPaymentError): string =>
  code === 'session_failed' && cause instanceof Error ? cause.message : message;

export const money = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
export const longDay = (date: string): string =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** A `ref` callback that scrolls content into view when it appears. */
export const reveal = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
