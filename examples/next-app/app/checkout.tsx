'use client';

import { createLoader } from '@embedded-sessions/loader';
import { EmbeddedFlow, EmbeddedProvider, useEmbeddedPayment } from '@embedded-sessions/react';
import { useState, type ReactNode } from 'react';
import { confirmPayment, createPaymentSession } from './actions';

interface CheckoutProps {
  loaderUrl: string;
  loaderUrls: { staging: string; production: string };
  children: ReactNode;
}

/** The loader of the environment that the server runs in. */
export function Checkout({ loaderUrl, loaderUrls, children }: CheckoutProps) {
  const [loader] = useState(() => createLoader({ loaderUrl, loaderUrls }));
  return (
    <EmbeddedProvider loader={loader} preload>
      {children}
    </EmbeddedProvider>
  );
}

export function PayButton({ amount }: { amount: string }) {
  const { pay, status, result, error } = useEmbeddedPayment({
    session: () => createPaymentSession(),
    // Whatever the page saw, the service is asked; what it says comes back with the page.
    onSettled: () => void confirmPayment(),
  });
  return (
    <>
      <button
        className="button button--primary button--wide"
        onClick={pay}
        aria-busy={status === 'preparing' || status === 'open'}
      >
        Pay {amount}
      </button>
      {result?.status === 'canceled' && (
        <p role="status" className="notice">
          Nothing was charged.
        </p>
      )}
      {error && (
        <p role="alert" className="notice notice--bad">
          The payment could not be opened. Please try again.
        </p>
      )}
    </>
  );
}

export function PayInPage() {
  return (
    <EmbeddedFlow
      flow="payment"
      session={() => createPaymentSession()}
      aria-label="Pay your bill"
      onSettled={() => void confirmPayment()}
    />
  );
}
