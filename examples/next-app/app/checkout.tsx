'use client';

import { createLoader } from '@embedded-sessions/loader';
import {
  EmbeddedFlow,
  EmbeddedProvider,
  useEmbeddedPayment,
  type PaymentResult,
} from '@embedded-sessions/react';
import { useState, type ReactNode } from 'react';
import { confirmPayment, createPaymentSession } from './actions';

interface CheckoutProps {
  loaderUrl: string;
  loaderUrls: { staging: string; production: string };
  children: ReactNode;
}

/** Provides the loader of the server's environment. */
export function Checkout({ loaderUrl, loaderUrls, children }: CheckoutProps) {
  const [loader] = useState(() => createLoader({ loaderUrl, loaderUrls }));
  return (
    <EmbeddedProvider loader={loader} preload>
      {children}
    </EmbeddedProvider>
  );
}

export function PayButton({ amount }: { amount: string }) {
  const [notice, settle] = useConfirmation();
  const { pay, status } = useEmbeddedPayment({
    session: () => createPaymentSession(),
    onSettled: settle,
  });
  return (
    <>
      <button
        className="button button--primary"
        onClick={pay}
        aria-busy={status === 'preparing' || status === 'open'}
      >
        Pay {amount}
      </button>
      {status === 'settled' && notice}
    </>
  );
}

export function PayInPage() {
  const [notice, settle] = useConfirmation();
  return (
    <>
      <EmbeddedFlow
        flow="payment"
        session={() => createPaymentSession()}
        aria-label="Pay your bill"
        renderError={({ retry }) => (
          <p role="alert">
            The form could not be opened.{' '}
            <button className="button" onClick={retry}>
              Try again
            </button>
          </p>
        )}
        onSettled={(result) => result.status !== 'failed' && settle(result)}
      />
      {notice}
    </>
  );
}

const NO_PAYMENT = 'We have not received a payment. Check again in a moment before you pay.';

/** Confirms every result with the service. If the bill is paid, the refreshed page shows it. */
function useConfirmation(): [notice: ReactNode, settle: (result: PaymentResult) => void] {
  const [{ text, bad = false }, setNotice] = useState<{ text: string; bad?: boolean }>({ text: '' });

  async function settle({ status }: PaymentResult): Promise<void> {
    if (status === 'failed')
      return setNotice({ text: 'The payment could not be opened. Please try again.', bad: true });
    setNotice({ text: 'Confirming…' });
    try {
      await confirmPayment();
    } catch {
      const text = 'We could not confirm this yet. Load the page again before you pay.';
      return setNotice({ text, bad: true });
    }
    if (status === 'canceled') setNotice({ text: 'Nothing was charged.' });
    else if (status === 'expired') setNotice({ text: 'Your session has expired. Please start again.' });
    else setNotice({ text: NO_PAYMENT });
  }

  const notice = text && (
    <p role={bad ? 'alert' : 'status'} className="notice">
      {text}
    </p>
  );
  return [notice, (result) => void settle(result)];
}
