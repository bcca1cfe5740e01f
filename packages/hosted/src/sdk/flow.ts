import type { FlowEvent, FlowResult } from '@embedded-sessions/loader';
import { STATE_MS, type FlowState, type FromPage } from '../messages.js';
import { connect, frameFor, type Connection } from './connect.js';
import { pageBody } from './dom.js';
import { SdkError, type Failure } from './error.js';
import { watchFraming } from './framing.js';
import { dressed, schemeOf, type Dress } from './looks.js';
import { closeOutcome, type ClosedBy } from './outcome.js';
import type { Session } from './session-url.js';
import { createView, placeIn, type Kind } from './view.js';
import { takeWarm } from './warm.js';

/** The promise of a flow's result. A modal's settles when it closes, an inline flow's at its verdict. */
export interface FlowHandle extends Promise<FlowResult> {
  /** Closes it for the merchant; resolves when it is out of the page. */
  close(): Promise<void>;
}

export interface FlowOptions {
  kind: Kind;
  /** The flow that the session is to be of; `other`: any but a payment. */
  asked: string;
  session: Session;
  container: Element | undefined;
  dress: Dress;
  emit: (event: FlowEvent) => void;
  /** It is over. What an inline one still shows goes when `clear` is called. */
  leave: (clear: () => void) => void;
}

/** What a page may say that ends its flow. */
type Verdict = Extract<FlowResult, { status: 'completed' }> | { status: 'expired'; detail?: undefined };

/** How long a frame may take to answer before the payer is offered another try. */
const ANSWER_MS = 10_000;
/** How long that offer stands: nobody may be there to take it, and a promise must settle. */
const OFFER_MS = 15_000;
/**
 * A frame that asks to be closed is in the middle of a click or a key of its own. Taken away at once, its browser
 * process may never say that the event was handled, and whoever drives the browser waits for ever.
 */
const EVENT_MS = 100;

/** In browsers since 2025. */
type Movable = Element & { moveBefore(node: Node, child: Node | null): void };

export function openFlow({ kind, asked, session, container, dress, emit, leave }: FlowOptions): FlowHandle {
  const scheme = schemeOf(dress.appearance, container ?? pageBody());
  let verdict: FlowResult | null = null;
  let failure: SdkError | null = null;
  let processingSince: number | null = null;
  let heldWords = 'Your payment is being processed.';
  let isConnected = false;
  let isClosed = false;
  /** The frame is seen: its page has said how high it is. */
  let isShown = false;
  let frame: HTMLIFrameElement;
  let connection: Connection;
  let endFraming: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout>;
  let asking: Promise<FlowState | null> | null = null;
  let onState: ((state: FlowState) => void) | null = null;
  let settle: (result: FlowResult) => void;
  let fail: (error: SdkError) => void;
  const result = new Promise<FlowResult>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  const tell = (type: FlowEvent['type'], detail?: unknown): void =>
    emit({ type, sessionId: session.id, detail } as FlowEvent);
  const breakWith = (...[reason, message, code = 'flow_failed']: Failure): void => {
    failure = new SdkError(code, message, { reason });
    tell('error', { reason, message });
  };

  const send = (): void => {
    frame = frameFor(address);
    host.replaceChildren(frame);
    connection = connect(frame, address, onMessage);
  };
  /** A frame is on its way. */
  const wait = (): void => {
    view.setState('loading');
    isShown = false;
    view.show(frame);
    endFraming?.();
    endFraming = watchFraming(frame, session, refuse);
    timer = setTimeout(onSilence, ANSWER_MS);
  };
  const onSilence = (): void => {
    view.setState('unreachable');
    breakWith(
      'frame_unreachable',
      `The frame of ${session.origin} does not answer. If the service is up, add ${location.origin} to the business unit's allowedOrigins.`,
    );
    timer = setTimeout(giveUp, OFFER_MS);
  };
  /** Another try would end as this one: told at once. */
  const refuse = (...why: Failure): void => {
    if (isConnected || isClosed) return;
    view.setState('unreachable');
    breakWith(...why);
    giveUp();
  };
  const part = (): void => {
    clearTimeout(timer);
    removals.disconnect();
    endFraming?.();
    connection.end();
  };
  /** The merchant's page goes on; what was said to the payer stays until they close it. */
  const giveUp = (): void => {
    part();
    view.giveUp();
    fail(failure as SdkError);
    makeRoom();
  };
  const onRetry = (): void => {
    clearTimeout(timer);
    failure = null;
    connection.end();
    send();
    wait();
  };
  const onMessage = (message: FromPage): void => {
    switch (message.type) {
      case 'ready': {
        const { flow, lang } = message;
        if (flow && flow !== asked && (flow === 'payment' || asked !== 'other'))
          return refuse('other_flow', `This session is of ${flow}, not of ${asked}: create one of ${asked}.`);
        clearTimeout(timer);
        endFraming?.();
        isConnected = true;
        failure = null;
        if (lang) view.speak([lang]);
        if (view.focusFrame()) connection.post({ type: 'focus' });
        return tell('ready');
      }
      case 'resize':
        view.resize(message.height);
        if (!isShown) view.setState('ready');
        isShown = true;
        return;
      case 'reveal':
        return view.reveal(message.top, message.height);
      case 'state':
        heldWords = message.words ?? heldWords;
        onState?.(message.state);
        return onPageState(message.state);
      case 'completed':
        return reach({ status: 'completed', sessionId: session.id, detail: message.detail });
      case 'expired':
        // A page reports it only when it knows that no payment is in flight.
        onPageState('form');
        return reach({ status: 'expired' });
      case 'error':
        if (verdict !== null) return;
        breakWith('page_error', message.message);
        if (!container) return;
        fail(failure as SdkError);
        return makeRoom();
      case 'close-request':
        if (message.reason === 'escape' && container) return;
        if (message.reason === 'renew' && verdict?.status === 'expired')
          verdict = { status: 'expired', renew: true };
        setTimeout(() => void close('payer'), EVENT_MS);
    }
  };
  /** Once: the next flow may be in its place when this one goes. What it shows stays through the back-forward cache. */
  const makeRoom = (): void => {
    removeEventListener('pagehide', onGone);
    // Not within the call that opens the next one: its caller could take this one's `closed` for its own.
    leave(() => queueMicrotask(onGone));
    leave = () => undefined;
  };
  const onPageState = (state: FlowState): void => {
    if (state === 'processing') {
      if (processingSince === null) tell('processing');
      processingSince ??= performance.now();
    } else if (processingSince !== null) {
      processingSince = null;
      view.setState('ready');
      if (state === 'form') tell('ready');
    }
  };
  /** The first verdict stands, but money that moved outranks time that ran out. */
  const reach = (next: Verdict): void => {
    if (verdict?.status === 'completed' || verdict?.status === next.status) return;
    verdict = next;
    processingSince = null;
    view.setState('ready');
    tell(next.status, next.detail);
    if (!container) return;
    settle(next);
    makeRoom();
  };
  /** The page's state, null where it does not say. */
  const askState = (): Promise<FlowState | null> =>
    new Promise((resolve) => {
      onState = resolve;
      setTimeout(resolve, STATE_MS, null);
      connection.post({ type: 'close' });
    });
  const close = async (by: ClosedBy): Promise<void> => {
    const answer = verdict || !isConnected || isClosed ? null : await (asking ??= askState());
    asking = null;
    if (isClosed) return;
    const processingForMs = processingSince === null ? null : performance.now() - processingSince;
    const outcome = closeOutcome({ by, verdict, answer, processingForMs });
    if (outcome === 'held') view.setState('held', heldWords);
    else finish(outcome);
  };
  const finish = (outcome: FlowResult): void => {
    if (isClosed) return;
    isClosed = true;
    part();
    view.remove();
    makeRoom();
    tell('closed');
    if (failure && !verdict) fail(failure);
    else settle(verdict ?? outcome);
  };
  // The merchant's page was left, or took the frame out of itself: nobody can say any more how it ends.
  const onGone = (): void => finish({ status: 'unknown' });
  const removals = new MutationObserver(() => {
    if (!frame.isConnected) onGone();
  });

  const address = dressed(session.url, dress, scheme);
  const { search } = address;
  // An inline flow is over when it expires: whoever opened it knows by then.
  if (dress.canRenew && !container) address.searchParams.set('renew', 'true');
  const ahead = takeWarm(kind, container, search);
  const made = container ? undefined : ahead?.view;
  const host = made?.host ?? placeIn(container);
  const callbacks = { onClose: () => void close('payer'), onRetry };
  // The session's page is on its way while what is around it is made.
  if (ahead) {
    ({ frame, connection } = ahead);
    // It must not load anew: throws where the browser cannot do that.
    if (!made) (host as Movable).moveBefore(frame, null);
    ahead.hear = onMessage;
    connection.give(`${session.id}${address.search}/${address.hash.slice(1)}`, address.href);
    Object.assign(ahead.callbacks, callbacks);
    if (!made) ahead.view.remove();
  } else send();
  const view = made ?? createView(kind, container, host, scheme, callbacks);
  view.speak([dress.locale ?? '', ...navigator.languages]);
  wait();
  view.open();
  tell('opened');
  addEventListener('pagehide', onGone);
  // In shadow roots within shadow roots too.
  for (let root: Node | undefined = host.getRootNode(); root; root = (root as ShadowRoot).host?.getRootNode())
    removals.observe(root, { childList: true, subtree: true });
  return Object.assign(result, { close: () => close('merchant') });
}
