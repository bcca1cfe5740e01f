import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider, useEmbeddedPayment, type SessionSource } from '@embedded-sessions/react';

const loaderUrls = {
  staging: 'https://staging.pay.example/app/embedded.loader.js',
  production: 'https://pay.example/app/embedded.loader.js',
};

// Going live changes the loader URL. The environment follows from it.
const loader = createLoader({ loaderUrl: loaderUrls.staging, loaderUrls });

export function App() {
  return (
    <EmbeddedProvider loader={loader} preload>
      <PayButton />
    </EmbeddedProvider>
  );
}

// Your backend returns the result of payments.create(): { sessionUrl, environment, expiresInMs }.
const createSession: SessionSource = async ({ signal }) => {
  const response = await fetch('/api/payment-session', { method: 'POST', signal });
  if (!response.ok) throw new Error(`The session was refused: ${response.status}`);
  return response.json();
};

// The page's result is only a hint. The bill is paid once your backend has confirmed it with the service.
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
