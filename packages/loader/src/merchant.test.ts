// A merchant's test, as shown in GUIDE.md. testing.test.ts compares the two.
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import { isLoaderError, type Loader } from '@embedded-sessions/loader';
import { expect, it, vi } from 'vitest';

/** The merchant's code: gets a session from the backend, opens it, and returns the text to show. */
async function checkout(loader: Loader, callBackend: (path: string) => Promise<unknown>): Promise<string> {
  const session = (await callBackend('/pay')) as { sessionUrl: string };
  try {
    const service = await loader.load();
    const result = await service.completePayment(session);
    if (result.status === 'completed' || result.status === 'unknown') {
      return (await callBackend('/paid')) === true ? 'Thank you' : 'We are checking your payment';
    }
    return result.status === 'expired' ? 'Please start again' : 'Not paid';
  } catch (error) {
    return isLoaderError(error) && error.retryable ? 'Try again' : 'Please call us';
  }
}

it.each([
  ['Thank you', true, 'complete'],
  ['We are checking your payment', false, 'complete'],
  ['Not paid', false, 'cancel'],
  ['Please start again', false, 'expire'],
] as const)(
  'shows “%s” when the backend returns %s and the payer action is: %s',
  async (shown, isPaid, act) => {
    const { loader, flows } = createFakeLoader({ environment: 'staging' });
    const callBackend = async (path: string) =>
      path === '/pay' ? { sessionUrl: 'https://pay.test/s/1' } : isPaid;
    const page = checkout(loader, callBackend);
    const flow = await vi.waitUntil(() => flows[0]);
    expect(flow).toMatchObject({ kind: 'payment', url: 'https://pay.test/s/1' });
    flow[act]();
    expect(await page).toBe(shown);
  },
);

it('offers a retry after a failure', async () => {
  const { loader, flows } = createFakeLoader();
  const page = checkout(loader, async () => ({ sessionUrl: 'https://pay.test/s/1' }));
  (await vi.waitUntil(() => flows[0])).fail(new Error('the frame does not respond'));
  expect(await page).toBe('Please call us');
});
