import { useEmbeddedPayment } from '@embedded-sessions/react';

export function PayButton() {
  const { pay, error } = useEmbeddedPayment({
    session: () => fetch('/api/sessions/payment', { method: 'POST' }).then((response) => response.json()),
  });
  return error ? <p role="alert">Please try again later.</p> : <button onClick={pay}>Pay $76.30</button>;
}
