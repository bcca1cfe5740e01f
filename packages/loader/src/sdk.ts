import type { Environment } from './environment.js';

/**
 * How a flow ended, as far as the page can tell. The backend confirms: money is never decided here.
 *
 * @example
 * const result = await service.completePayment(sessionUrl);
 * if (result.status === 'completed' || result.status === 'unknown') await askBackendWhatHappened();
 */
export type FlowResult =
  /** The page's verdict. `detail` is the SDK's own account of it; ours is `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { status: 'completed'; sessionId?: string; detail: unknown }
  /** Closed, and the page said that no payment is in flight. */
  | { status: 'canceled'; by: 'payer' | 'merchant' }
  /** The session's lifetime is over: create a new one. */
  | { status: 'expired' }
  /** Closed without a verdict: ask the backend. */
  | { status: 'unknown' };

/** What happens while a flow is open. Never holds a session's URL. */
export interface FlowEvent {
  /**
   * `opened` → `ready` (the form can be used) → `processing` (a payment is in flight; `ready` again after a decline)
   * → `completed` | `expired` | `error` → `closed`. `unobservable`: the SDK gives no way to see how this ends.
   */
  type: 'opened' | 'ready' | 'processing' | 'completed' | 'closed' | 'expired' | 'error' | 'unobservable';
  sessionId?: string;
  detail?: unknown;
}

/** The operator's global (`window.Service`, R-5) as far as this package knows it. */
export interface ServiceGlobal {
  /** The environment that the script was served from, where it says so; ours does. */
  readonly environment?: Environment;
  readonly version?: string;
  completePayment(sessionUrl: string, options?: { container?: Element }): unknown;
  startFlow(sessionUrl: string, options?: { container?: Element }): unknown;
  on?(type: string, handler: (event: FlowEvent) => void): () => void;
}

/**
 * Opens one flow in an operator's SDK whose shapes differ from ours: calls it, forwards what it says to
 * `call.emit`, and answers with a promise of the result. `close` asks the SDK to close; `concurrent` says that
 * several inline flows can be open at once. The page is checked for its environment before an adapter is called.
 *
 * @example
 * // An SDK that takes callbacks:
 * const adapter: ServiceAdapter = (service, { url, emit }) => ({
 *   done: new Promise((resolve, reject) =>
 *     (service as CallbackSdk).open(url, {
 *       onReady: () => emit({ type: 'ready' }),
 *       onPaid: (receipt) => resolve({ status: 'completed', detail: receipt }),
 *       onClose: () => resolve({ status: 'unknown' }),
 *       onError: reject,
 *     }),
 *   ),
 * });
 */
export type ServiceAdapter = (
  service: unknown,
  call: { flow: 'payment' | 'other'; url: string; container?: Element; emit(event: FlowEvent): void },
) => { done: Promise<FlowResult>; close?(): Promise<void>; concurrent?: boolean };
