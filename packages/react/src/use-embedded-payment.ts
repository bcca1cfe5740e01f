import { useFlow, type FlowActions, type StartFlow, type UseEmbeddedOptions } from './use-flow.js';
import type { FlowState } from './flow-state.js';

/** What {@link useEmbeddedPayment} returns. */
export type EmbeddedPayment = FlowState &
  FlowActions & {
    /** Opens the payment in the modal. Never rejects. A second call while the flow is running joins it. */
    readonly pay: StartFlow;
  };

/**
 * Runs a payment in the operator's modal (`completePayment`, R-4). The result reaches `onSettled`, the promise of `pay`
 * and the provider's `onEvent` even after an unmount. `completed` is only the page's view: confirm it on your backend
 * before you ship anything.
 *
 * @example
 * function PayButton({ accountNumber }: { accountNumber: string }) {
 *   const { pay, status, error } = useEmbeddedPayment({
 *     session: ({ signal }) => createPaymentSession(accountNumber, { signal }),
 *     onSettled: (result) => result.status !== 'failed' && refreshBalance(),
 *   });
 *   return (
 *     <>
 *       <button onClick={pay} disabled={status === 'preparing' || status === 'open'}>Pay</button>
 *       {error && <p role="alert">The payment could not be opened. Please try again.</p>}
 *     </>
 *   );
 * }
 */
export function useEmbeddedPayment(options?: UseEmbeddedOptions): EmbeddedPayment {
  return useFlow('payment', 'pay', options);
}
