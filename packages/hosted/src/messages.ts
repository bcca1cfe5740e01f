/**
 * The protocol between the SDK on the merchant's page and a hosted page in its frame.
 *
 * The SDK posts `init` with a `MessagePort` to the session's exact origin until the page replies `ready` over the port.
 * The page accepts the first `init` from its `parent` if the business unit allows the origin. All other messages use the
 * port. No message contains the session's secret or card data.
 *
 * Both sides ignore unknown types, because SDK and page may have different versions. The SDK doesn't validate messages,
 * because only the service's own page has the port.
 */
import type { NextFlow } from '@embedded-sessions/loader';

export const INIT = 'embedded-sessions:init';

/** The one message that is posted to a window, together with a port. */
export interface Init {
  type: typeof INIT;
}

export type ToPage =
  /**
   * Sent before the SDK removes the frame. The page replies with its `state` within {@link STATE_MS}, or not at all if
   * it has not read its session yet. After the reply `form`, `unsure` or `done`, it starts no payment or change, so a
   * result `canceled` stays true. While it replies `processing`, the payer cannot close the flow, and a merchant who aborts gets
   * `unknown`. If the `payer` would lose input, it replies `asking`, and sends a `close-request` if the payer confirms.
   */
  | { type: 'close'; by?: 'payer' | 'merchant' | undefined }
  /** The dialog is open and the frame has the focus. Focus the first control. */
  | { type: 'focus' };

/** Timeout for a page to report whether a payment is in flight, ms. */
export const STATE_MS = 1_000;

export type FlowState =
  /** Nothing is in flight. A declined payment and a change to the account return here. */
  | 'form'
  /** A payment or a change to the account is in flight. The payer cannot close the flow. */
  | 'processing'
  /** The page is asking the payer whether to leave. The flow stays open. `form` follows if the payer stays. */
  | 'asking'
  /** A change got no response and may have been made, so closing is `unknown` instead of `canceled`. */
  | 'unsure'
  | 'done';

export type FromPage =
  /**
   * The page is listening. `lang` is its language, `radius` its corner radius, `flow` its session's flow, if known, and
   * `fills`: it is inline with a background color of its own. Sent even if the session is expired or unknown. A page
   * that waits for its session sends it again with the session.
   */
  | { type: 'ready'; lang?: string; radius?: string; flow?: string | undefined; fills?: boolean }
  /** Height of the content, CSS px. */
  | { type: 'resize'; height: number }
  /** The focus moved to this part of the content, CSS px from the top. The merchant's page scrolls to it. */
  | { type: 'reveal'; top: number; height: number }
  /**
   * `words`: shown if the payer tries to close the flow during a payment. `attempt`: the id of that payment. The SDK
   * uses it as the frame's name, which survives when the page moves the frame. `reply`: whether this
   * replies to `close`. Without it, the page may have sent the report before it got the request.
   */
  | {
      type: 'state';
      state: FlowState;
      words?: string;
      attempt?: string | undefined;
      reply?: boolean | undefined;
    }
  /** The payer finished. `detail` of a payment: `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { type: 'completed'; sessionId: string; detail: unknown }
  /**
   * `escape`: Escape while the focus was in the frame, or Android's Back. `renew`: the payer starts over after the
   * session expired or the payment failed. `next`: the flow that the payer chose on the receipt.
   */
  | { type: 'close-request'; reason: 'escape' | 'cancel' | 'done' | 'renew'; next?: NextFlow | undefined }
  | { type: 'expired' }
  /** A fatal error, such as an unknown session. No payment is in flight. */
  | { type: 'error'; message: string };

export function isInit(value: unknown): value is Init {
  return (Object(value) as Partial<Init>).type === INIT;
}

export function parseToPage(value: unknown): ToPage | null {
  const { type, by } = Object(value) as { type?: unknown; by?: unknown };
  if (type === 'close') return { type, by: by === 'payer' ? by : 'merchant' };
  return type === 'focus' ? { type } : null;
}
