/** Pays a session through the page API, as the hosted page does, for tests and the inspector. */
import { randomUUID } from 'node:crypto';
import type { PaymentMethod } from '@embedded-sessions/server-types';
import type { Deps } from '../deps.js';
import { TEST_ACCOUNTS, TEST_ROUTING_NUMBER } from '../processor/test-processor.js';
import type {
  Attempt,
  NewSource,
  PageResponse,
  PageError,
  PaymentPageSession,
  PayRequest,
} from '../shared/page.js';

export type Fetch = (request: Request) => Promise<Response>;

/** @param number of a test card or bank account */
export async function payAsPage(
  { store, secrets, publicUrl }: Pick<Deps, 'store' | 'secrets' | 'publicUrl'>,
  fetch: Fetch,
  sessionId: string,
  number: string,
): Promise<{ status: number; answer: PageResponse<Attempt> }> {
  const session = await store.read((tx) => tx.sessions.get(sessionId));
  if (!session) return refused(404, 'not_found', 'There is no such session.');

  const headers = {
    authorization: `Bearer ${secrets.derive(session.secretKeyId, sessionId)}`,
    'content-type': 'application/json',
  };
  const ask = async <T>(path: string, init: RequestInit = {}) => {
    const response = await fetch(
      new Request(`${publicUrl}/s/${sessionId}/api/${path}`, { ...init, headers }),
    );
    return { status: response.status, answer: (await response.json()) as PageResponse<T> };
  };
  const { status, answer: page } = await ask<PaymentPageSession>('session');
  if (!page.ok) return { status, answer: page };
  if (session.flow !== 'payment') return refused(409, 'conflict', 'This session accepts no payments.');

  const { charges, fields } = page.data;
  const missing = fields.filter(({ value }) => value === undefined);
  const body: PayRequest = {
    attemptId: randomUUID(),
    source: SOURCES[methodOf(number)](number),
    saveMethod: false,
    charges: charges.map(({ index, amount }) => ({ index, amount })),
    fields: Object.fromEntries(missing.map(({ key }) => [key, 'test'])),
  };
  return ask('pay', { method: 'POST', body: JSON.stringify(body) });
}

const digits = (number: string): string => number.replace(/[ -]/g, '');

const methodOf = (number: string): PaymentMethod => (digits(number) in TEST_ACCOUNTS ? 'ACH' : 'Credit Card');

const SOURCES: Record<PaymentMethod, (number: string) => NewSource> = {
  ACH: (number) => ({
    method: 'ACH',
    accountType: 'checking',
    holder: 'Test Payer',
    routingNumber: TEST_ROUTING_NUMBER,
    accountNumber: digits(number),
  }),
  'Credit Card': (number) => ({
    method: 'Credit Card',
    cardNumber: number,
    expiry: '12/34',
    securityCode: number.startsWith('3') ? '1234' : '123',
    name: 'Test Payer',
    country: 'US',
    zipCode: '10001',
  }),
};

const refused = (status: number, code: PageError['code'], message: string) => ({
  status,
  answer: { ok: false as const, errors: [{ code, message }] },
});
