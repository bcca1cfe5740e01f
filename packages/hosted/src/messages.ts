/**
 * The protocol between the SDK on the merchant's page and a hosted page in its frame.
 * The SDK posts `init` with a `MessagePort` to the session's exact origin, repeatedly, until `ready` comes
 * back over the port; the page takes the first `init` from its `parent`, from an origin that the business unit
 * allows, and everything after goes over the port. No message carries the session's secret or card data.
 *
 * Both sides ignore unknown types, because SDK and page may have different versions. The SDK trusts the shapes of the
 * messages, because only the service's own page has the port.
 */
import type { NextFlow } from '@embedded-sessions/loader';

export const INIT = 'embedded-sessions:init';

/** The one message that is posted to a window, together with a port. */
export interface Init {
  type: typeof INIT;
}

export type ToPage =
  /**
   * The frame is about to be removed. A page that has read its session replies with its `state` within
   * {@link STATE_MS}; one that has not yet doesn't reply. After it has replied `form` or `done`, it starts no payment, so
   * a result of `canceled` is true. While it replies `processing`, the payer cannot close the flow, and a merchant who
   * aborts gets `unknown`. If the `payer` closes it and would lose input, it replies `asking`, and sends a
   * `close-request` if the payer confirms.
   */
  | { type: 'close'; by?: 'payer' | 'merchant' | undefined }
  /** The dialog is open and the frame has the focus. Focus the first control. */
  | { type: 'focus' };

/** Timeout for a page to report whether a payment is in flight, ms. */
export const STATE_MS = 1_000;

export type FlowState =
  /** Nothing is in flight. A declined payment returns here. */
  | 'form'
  /** A payment is in flight, and the payer cannot close the flow. */
  | 'processing'
  /** The page asks the payer whether to leave, so the flow stays open. */
  | 'asking'
  | 'done';

export type FromPage =
  /**
   * The page is listening. `lang` is its language, `radius` its corner radius, `flow` the flow of its session, if it
   * knows the session. Sent once, also for an expired or unknown session. A page that waits for its session sends it
   * again when it has the session.
   */
  | { type: 'ready'; lang?: string; radius?: string; flow?: string | undefined }
  /** Height of the content, CSS px. */
  | { type: 'resize'; height: number }
  /** The focus moved to this part of the content, CSS px from its top. The page around the frame scrolls to it. */
  | { type: 'reveal'; top: number; height: number }
  /** `words`: the message for a payer who closes the flow during a payment. */
  | { type: 'state'; state: FlowState; words?: string }
  /** The payer finished. `detail` of a payment: `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { type: 'completed'; sessionId: string; detail: unknown }
  /**
   * `escape`: pressed while the focus was in the frame, or Android's Back; `renew`: the payer starts again, after the session
   * expired or its payment failed; `next`: the flow that the payer chose on the receipt.
   */
  | { type: 'close-request'; reason: 'escape' | 'cancel' | 'done' | 'renew'; next?: NextFlow | undefined }
  | { type: 'expired' }
  /** The page shows a problem that it cannot recover from, such as an unknown session. No payment is in flight. */
  | { type: 'error'; message: string };

export function isInit(value: unknown): value is Init {
  return (Object(value) as Partial<Init>).type === INIT;
}

export function parseToPage(value: unknown): ToPage | null {
  const { type, by } = Object(value) as { type?: unknown; by?: unknown };
  if (type === 'close') return { type, by: by === 'payer' ? by : 'merchant' };
  return type === 'focus' ? { type } : null;
}
