import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { useEmbeddedPayment, type SessionSource } from '@embedded-sessions/react';
import { createFakeLoader, FakeEmbeddedProvider } from '@embedded-sessions/react/testing';

// The merchant's component, as it runs in production.
function PayBill({ createSession }: { createSession: SessionSource }) {
  const { pay, status, result, error } = useEmbeddedPayment({ session: createSession });
  const busy = status === 'preparing' || status === 'open';
  if (result?.status === 'completed') return <h1>Thank you</h1>;
  return (
    <>
      <button onClick={pay} disabled={busy || result?.status === 'unknown'}>
        Pay $12.34
      </button>
      {result?.status === 'unknown' && <p role="alert">We are checking whether your payment went through.</p>}
      {error && <p role="alert">The payment could not be opened. Please try again.</p>}
    </>
  );
}

afterEach(cleanup);

// The merchant's test: real component, real hook, a fake operator. No module is mocked.
function setup(createSession = vi.fn(async () => 'https://pay.example.com/s/stg_1#secret')) {
  const fake = createFakeLoader({ environment: 'staging' });
  render(
    <FakeEmbeddedProvider fake={fake}>
      <PayBill createSession={createSession} />
    </FakeEmbeddedProvider>,
  );
  return { fake, createSession, payer: userEvent.setup() };
}

const payButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Pay $12.34' });

it('thanks the payer', async () => {
  const { fake, createSession, payer } = setup();
  await payer.dblClick(payButton());
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  expect(payButton().disabled).toBe(true);
  fake.flows[0]!.complete({ Status: 'Succeeded' });
  expect(await screen.findByRole('heading', { name: 'Thank you' })).toBeTruthy();
  expect(createSession).toHaveBeenCalledTimes(1);
});

it('lets the payer try again after closing the modal', async () => {
  const { fake, payer } = setup();
  await payer.click(payButton());
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  fake.flows[0]!.cancel();
  await waitFor(() => expect(payButton().disabled).toBe(false));
  expect(screen.queryByRole('alert')).toBeNull();
});

it('offers no second payment if the outcome of the first is unknown', async () => {
  const { fake, payer } = setup();
  await payer.click(payButton());
  await waitFor(() => expect(fake.flows).toHaveLength(1));
  fake.flows[0]!.vanish();
  expect((await screen.findByRole('alert')).textContent).toContain('We are checking');
  expect(payButton().disabled).toBe(true);
});

it('shows an error if the backend is unreachable', async () => {
  const { fake, payer } = setup(vi.fn(() => Promise.reject(new Error('502'))));
  await payer.click(payButton());
  expect((await screen.findByRole('alert')).textContent).toContain('Please try again');
  expect(fake.flows).toHaveLength(0);
});
