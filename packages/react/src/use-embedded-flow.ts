import { useFlow, type FlowActions, type StartFlow, type UseEmbeddedOptions } from './use-flow.js';
import type { FlowState } from './flow-state.js';

/** What {@link useEmbeddedFlow} returns. */
export type EmbeddedFlowControls = FlowState &
  FlowActions & {
    /** Opens the flow in the modal. Never rejects. A second call while the flow is running joins it. */
    readonly start: StartFlow;
  };

/**
 * Runs any of the other six flows in the operator's modal (`startFlow`, R-4): AutoPay, wallet, paperless, scheduling a
 * payment, managing scheduled payments, notifications. Otherwise like {@link useEmbeddedPayment}.
 *
 * @example
 * const { start, status } = useEmbeddedFlow({ session: () => createWalletSession() });
 * return <button onClick={start} disabled={status === 'preparing'}>Payment methods</button>;
 */
export function useEmbeddedFlow(options?: UseEmbeddedOptions): EmbeddedFlowControls {
  return useFlow('other', 'start', options);
}
