import type { Bill } from './bill';

/** Shows the state of a bill that is no longer due. */
export function Outcome({ state }: { state: Exclude<Bill['state'], 'due'> }) {
  return (
    <p role="status" className="notice notice--ok">
      {state === 'paid'
        ? 'Thank you. Your bill is paid.'
        : 'Thank you. Your payment is on its way from your bank.'}
    </p>
  );
}
