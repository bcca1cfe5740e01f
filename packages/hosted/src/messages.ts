/**
 * The protocol between the SDK on the merchant's page and a hosted page in its frame.
 * The SDK posts `init` with a `MessagePort` to the session's exact origin, again and again until `ready` comes
 * back over the port; the page takes the first `init` from its `parent`, from an origin that the business unit
 * allows, and everything after goes over the port. No message carries the session's secret or card data.
 *
 * Unknown types are ignored on both sides, never an error: SDK and page may be of different versions.
 */
export const INIT = 'embedded-sessions:init';

/** The one message that is posted to a window, together with a port. */
export interface Init {
  type: typeof INIT;
}

/** What the page at `framing` answers: whether all pages around it may frame the session's page. */
export interface Framing {
  type: 'framing';
  isAllowed: boolean;
  /** The origin of the first that may not; not told by services of before, which looked at the asking page alone. */
  refused?: string;
}

/** The origin that may not, as that page says. */
export function refusedOrigin(value: unknown): string | undefined {
  const { isAllowed, refused = location.origin } = Object(value) as Partial<Framing>;
  return isAllowed === false ? refused : undefined;
}

export type ToPage =
  /**
   * The frame is about to be removed: a page that has read its session answers with its present `state`, within
   * {@link STATE_MS}; one that has not cannot know, and is silent. After it has answered `form` or
   * `done` it starts no payment any more, so that a result of `canceled` is true. While it answers `processing` the
   * payer's wish to close is held back; a merchant who aborts is told `unknown`.
   */
  | { type: 'close' }
  /** The dialog is open and the frame has the focus: put it where the payer begins. */
  | { type: 'focus' };

/** How long a page may take to say whether a payment is in flight, ms. */
export const STATE_MS = 1_000;

export type FlowState =
  /** Nothing is in flight; a decline comes back to it. */
  | 'form'
  /** A payment is in flight and closing is held back. */
  | 'processing'
  | 'done';

export type FromPage =
  /**
   * The page listens, and speaks `lang`; `flow`, where its session is known, is what that was created for. Sent once,
   * whatever the page shows: an expired or unknown session too. A page that waits for its session says it a second time
   * when it has it.
   */
  | { type: 'ready'; lang?: string; flow?: string | undefined }
  /** Height of the content, CSS px. */
  | { type: 'resize'; height: number }
  /** The focus went to this part of the content, CSS px from its top: a page that the frame is a part of shows it. */
  | { type: 'reveal'; top: number; height: number }
  /** `words`: what to tell a payer who wishes to close while a payment is in flight. */
  | { type: 'state'; state: FlowState; words?: string }
  /** The payer's flow is over well. `detail` of a payment: `{ Status, ClientReference?, CustomMeta?, Charges }`. */
  | { type: 'completed'; sessionId: string; detail: unknown }
  /** `escape`: pressed while the focus was in the frame; `renew`: the payer starts again after the session expired. */
  | { type: 'close-request'; reason: 'escape' | 'cancel' | 'done' | 'renew' }
  | { type: 'expired' }
  /** The page cannot go on and says why in itself, such as a session that is unknown. Nothing is in flight. */
  | { type: 'error'; message: string };

export function isInit(value: unknown): value is Init {
  return (Object(value) as Partial<Init>).type === INIT;
}

const STATES: readonly unknown[] = ['form', 'processing', 'done'] satisfies FlowState[];
const REASONS: readonly unknown[] = ['escape', 'cancel', 'done', 'renew'];

/** The message, or null for anything this version does not know. */
export function parseFromPage(value: unknown): FromPage | null {
  const message = Object(value) as Record<string, unknown>;
  return isKnown(message) ? (message as FromPage) : null;
}

function isKnown({
  type,
  lang,
  flow,
  top,
  height,
  state,
  words,
  sessionId,
  reason,
  message,
}: Record<string, unknown>): boolean {
  switch (type) {
    case 'expired':
      return true;
    case 'ready':
      return [lang, flow].every((each) => each === undefined || typeof each === 'string');
    case 'resize':
      return Number.isFinite(height);
    case 'reveal':
      return Number.isFinite(top) && Number.isFinite(height);
    case 'state':
      return STATES.includes(state) && (words === undefined || typeof words === 'string');
    case 'completed':
      return typeof sessionId === 'string';
    case 'close-request':
      return REASONS.includes(reason);
    case 'error':
      return typeof message === 'string';
    default:
      return false;
  }
}

export function parseToPage(value: unknown): ToPage | null {
  const { type } = Object(value) as Partial<ToPage>;
  return type === 'close' || type === 'focus' ? { type } : null;
}
