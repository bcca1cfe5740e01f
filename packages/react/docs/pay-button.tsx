import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedProvider, useEmbeddedPayment } from '@embedded-sessions/react';
import type { ReactNode } from 'react';

const loader = createLoader({
  loaderUrl: 'https://staging.pay.example/app/embedded.loader.js', // the only value here that going live changes
  loaderUrls: {
    staging: 'https://staging.pay.example/app/embedded.loader.js',
    production: 'https://pay.example/app/embedded.loader.js',
  },
});

export function Providers({ children }: { children: ReactNode }) {
  return <EmbeddedProvider loader={loader}>{children}</EmbeddedProvider>;
}

export function PayButton() {
  const { pay, error } = useEmbeddedPayment({
    session: () => fetch('/api/sessions/payment', { method: 'POST' }).then((answer) => answer.json()),
    onSettled: ({ status }) => status !== 'canceled' && location.reload(), // to what the backend has confirmed
  });
  return (
    <>
      <button onClick={pay}>Pay $76.30</button>
      {error && <p role="alert">The payment could not be opened. Please try again.</p>}
    </>
  );
}
