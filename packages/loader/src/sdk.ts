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

/**
 * What happens while a flow is open. Never holds a session's URL.
 *
 * @example
 * const event: FlowEvent = { type: 'completed', sessionId: 'stg_1', detail: { Status: 'Succeeded' } };
 */
export interface FlowEvent {
  /**
   * `opened` → `ready` (the form can be used) → `processing` (a payment is in flight; `ready` again after a decline)
   * → `completed` | `expired` | `error` → `closed`. `unobservable`: the SDK gives no way to see how this ends.
   */
  type: 'opened' | 'ready' | 'processing' | 'completed' | 'closed' | 'expired' | 'error' | 'unobservable';
  sessionId?: string;
  detail?: unknown;
}

/**
 * The operator's global (`window.Service`, R-5) as far as this package knows it.
 *
 * @example
 * const sdk = (window as { Service?: ServiceGlobal }).Service;
 * console.log(sdk?.environment, sdk?.version);
 */
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
 *       onPaid: (receipt) => emit({ type: 'completed', detail: receipt }), // the verdict: it stays
 *       onClose: () => resolve({ status: 'unknown' }), // without a verdict nobody knows
 *       onError: reject,
 *     }),
 *   ),
 * });
 */
export type ServiceAdapter = (
  service: unknown,
  call: { flow: 'payment' | 'other'; url: string; container?: Element; emit: (event: FlowEvent) => void },
) => { done: Promise<FlowResult>; close?(): Promise<void>; concurrent?: boolean };

/** Whether an SDK answered with a result as we know them. */
export const isResult = (value: unknown): value is FlowResult =>
  ['completed', 'canceled', 'expired', 'unknown'].includes(Object(value).status);

/** How long an SDK may take to add the frame whose removal tells of its end. */
const FRAME_MS = 10_000;
/** How long an SDK may take to say how it ended, once its frame is gone. */
const LAST_WORD_MS = 500;

/**
 * The default adapter, for an SDK of which only the contract is known. In this order: the promise that the SDK
 * returns; its events; else the frame that the call added, of which only the end can be seen.
 */
export const contractAdapter: ServiceAdapter = (service, { flow, url, container, emit }) => {
  const sdk = service as ServiceGlobal;
  const root = (container?.getRootNode() ?? document) as Document;
  const frames = () => [...root.querySelectorAll('iframe')];
  const before = frames();
  let handle: { then?: unknown; close?: () => unknown } = {};
  let frame: HTMLIFrameElement | undefined;
  /** Whether it says how it ended. */
  let speaks = !!sdk.on;

  const offs: unknown[] = [];
  let observer: MutationObserver | undefined;

  const done = new Promise<unknown>((resolve, reject) => {
    const look = () => {
      const added = frames().filter((each) => !before.includes(each));
      // The session's own, else the first: a page shows frames of others too. An SDK that says nothing may show
      // its frame from anywhere; where it speaks, no other's frame overrules it.
      frame =
        added.find(({ src }) => src.startsWith(new URL(url).origin)) ??
        frame ??
        (speaks ? undefined : added[0]);
      if (frame?.isConnected === false) setTimeout(() => frame?.isConnected || resolve(0), LAST_WORD_MS);
    };
    const giveUpUnseen = () => {
      look();
      if (frame) return;
      emit({ type: 'unobservable' });
      resolve(0);
    };
    observer = new MutationObserver(look);
    for (const node of [document, root]) observer.observe(node, { childList: true, subtree: true });

    const hear = (type: FlowEvent['type'], said: unknown) => {
      const {
        type: shaped,
        sessionId,
        detail = shaped ? undefined : said,
      } = Object(said) as Partial<FlowEvent>;
      const ends = type === 'closed' || type === 'error';
      // With a promise per call several flows may be open: the events tell of all, the promise of this one's end.
      if (handle.then && (ends || (sessionId && !url.includes(sessionId)))) return;
      if (type === 'error') reject(detail);
      else if (ends) resolve(detail);
      else emit({ type, ...(sessionId && { sessionId }), detail });
      if (!handle.then && (type === 'completed' || type === 'expired')) setTimeout(giveUpUnseen, FRAME_MS);
    };
    for (const type of ['ready', 'processing', 'completed', 'expired', 'closed', 'error'] as const)
      try {
        offs.push(sdk.on?.(type, (said) => hear(type, said)));
      } catch {
        // An SDK may refuse the name of an event that it does not have.
      }

    const args = [url, ...(container ? [{ container }] : [])] as const;
    handle = Object(flow === 'payment' ? sdk.completePayment(...args) : sdk.startFlow(...args));
    speaks ||= !!handle.then;
    const onValue = (value: unknown) => {
      if (isResult(value)) return resolve(value);
      speaks = !!sdk.on;
      return giveUpUnseen();
    };
    if (handle.then) Promise.resolve(handle).then(onValue, reject);
    else if (!sdk.on) setTimeout(giveUpUnseen, FRAME_MS);
  }).finally(() => {
    observer?.disconnect();
    for (const off of offs as (() => void)[]) off?.call?.(sdk);
  });

  return {
    done: done as Promise<FlowResult>,
    close: async () => void (await handle.close?.()),
    // Results of a promise per call cannot be taken for one another's.
    concurrent: !!(handle.then && handle.close),
  };
};
