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
  call: { flow: 'payment' | 'other'; url: string; container?: Element; emit: (event: FlowEvent) => void },
) => { done: Promise<FlowResult>; close?(): Promise<void>; concurrent?: boolean };

/** What an SDK answered, where it is a result as we know them. */
export function resultOf(value: unknown): FlowResult | undefined {
  const { status, sessionId, detail, by } = Object(value) as Record<string, unknown>;
  switch (status) {
    case 'completed':
      return { status, ...(typeof sessionId === 'string' && { sessionId }), detail };
    case 'canceled':
      return { status, by: by === 'merchant' ? by : 'payer' };
    case 'expired':
    case 'unknown':
      return { status };
    default:
      return undefined;
  }
}

/** How long an SDK may take to add the frame whose removal tells of its end. */
const FRAME_MS = 10_000;
/** How long an SDK that speaks may take to say how it ended, once its frame is gone. */
const LAST_WORD_MS = 1_000;

/** Watches for the frame that a call adds to the page, and for its removal. To be made before the call. */
function watchFrame(
  root: ParentNode & Node,
  isOurs: (frame: HTMLIFrameElement) => boolean,
  onGone: () => void,
) {
  const before = new Set(root.querySelectorAll('iframe'));
  let frame: HTMLIFrameElement | undefined;
  const look = () => {
    frame = [...root.querySelectorAll('iframe')].find((each) => !before.has(each) && isOurs(each)) ?? frame;
    if (frame?.isConnected === false) onGone();
  };
  const observer = new MutationObserver(look);
  for (const node of [document, root]) observer.observe(node, { childList: true, subtree: true });
  return {
    seen: () => {
      look();
      return frame !== undefined;
    },
    stop: () => observer.disconnect(),
  };
}

/**
 * The default adapter, for an SDK of which only the contract is known. In this order: the promise that the SDK
 * returns; its events; else the frame that the call added, of which only the end can be seen.
 */
export const contractAdapter: ServiceAdapter = (service, { flow, url, container, emit }) => {
  const sdk = service as ServiceGlobal;
  const speaks = typeof sdk.on === 'function';
  let handle: { then?: unknown; close?: unknown } = {};
  let promised = false;
  let resolve!: (result: FlowResult) => void;
  let reject!: (error: unknown) => void;
  const done = new Promise<FlowResult>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  const giveUp = () => resolve({ status: 'unknown' });
  const { origin } = new URL(url);
  const frame = watchFrame(
    (container?.getRootNode() ?? document) as ParentNode & Node,
    // An SDK that says nothing may show its frame from anywhere; for one that speaks, no other's frame overrules it.
    ({ src }) => (!promised && !speaks) || src.startsWith(`${origin}/`),
    () => setTimeout(giveUp, promised || speaks ? LAST_WORD_MS : 0),
  );
  const giveUpUnseen = () => frame.seen() || giveUp();

  const hear = (type: FlowEvent['type']) => (said: unknown) => {
    const {
      sessionId,
      type: shaped,
      detail = shaped ? undefined : said,
    } = Object(said) as Partial<FlowEvent>;
    // With a promise per call several flows may be open, and the SDK's events tell of all.
    if (promised && sessionId && !url.includes(sessionId)) return;
    if (type !== 'closed' && type !== 'error') {
      emit({ type, ...(sessionId && { sessionId }), detail });
      if (!promised && (type === 'completed' || type === 'expired')) setTimeout(giveUpUnseen, FRAME_MS);
    } else if (!promised) {
      if (type === 'error') reject(detail);
      else resolve(resultOf(detail) ?? { status: 'unknown' });
    }
  };
  const types = speaks ? (['ready', 'processing', 'completed', 'expired', 'closed', 'error'] as const) : [];
  const offs = types.map((type) => sdk.on?.(type, hear(type)));
  const stop = () => {
    frame.stop();
    for (const off of offs) if (typeof off === 'function') off();
  };

  try {
    const args = [url, ...(container ? [{ container }] : [])] as const;
    handle = Object(flow === 'payment' ? sdk.completePayment(...args) : sdk.startFlow(...args));
  } catch (error) {
    stop();
    throw error;
  }
  promised = typeof handle.then === 'function';
  if (promised)
    (handle as Promise<unknown>).then((value) => {
      const result = resultOf(value);
      return result ? resolve(result) : giveUpUnseen();
    }, reject);
  else if (!speaks)
    setTimeout(() => {
      if (frame.seen()) return;
      emit({ type: 'unobservable' });
      giveUp();
    }, FRAME_MS);
  done.then(stop, stop);

  const closes = typeof handle.close === 'function';
  return {
    done,
    // Results of a promise per call cannot be taken for one another's.
    concurrent: promised && closes,
    ...(closes && { close: async () => void (await (handle as { close(): unknown }).close()) }),
  };
};
