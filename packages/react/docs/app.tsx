import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider, useEmbeddedPayment, type SessionSource } from '@embedded-sessions/react';

const loader = createLoader({
  environment: 'staging', // going live: these two values
  loaderUrl: 'https://pay.staging.example.com/app/embedded.loader.js',
});

export function App() {
  return (
    <EmbeddedProvider loader={loader} preload>
      <PayButton />
    </EmbeddedProvider>
  );
}

// Your backend answers what its payments.create() resolved: { sessionUrl, environment, expiresInMs }.
const createSession: SessionSource = async ({ signal }) => {
  const response = await fetch('/api/payment-session', { method: 'POST', signal });
  if (!response.ok) throw new Error(`The session was refused: ${response.status}`);
  return response.json();
};

// What the page saw is a hint. Your backend asks the service, then the bill is paid.
async function confirmPayment() {
  await fetch('/api/confirm-payment', { method: 'POST', keepalive: true });
}

function PayButton() {
  const { pay, status, result, error } = useEmbeddedPayment({
    session: createSession,
    onSettled: ({ status }) => {
      if (status === 'completed' || status === 'unknown') void confirmPayment().catch(reportError);
    },
  });
  if (result?.status === 'completed') return <p role="status">Thank you. We are confirming your payment.</p>;
  if (result?.status === 'unknown')
    return <p role="status">We are checking whether your payment went through.</p>;
  return (
    <>
      <button onClick={pay} disabled={status === 'preparing' || status === 'open'}>
        Pay
      </button>
      {error && <p role="alert">The payment could not be opened. Please try again.</p>}
    </>
  );
}
