import type { FlowEvent, FlowResult } from '@embedded-sessions/loader';
import { changesVerdict } from '@embedded-sessions/loader/internal';
import { STATE_MS, type FlowState, type FromPage } from '../messages.js';
import { Connection, frameFor } from './connect.js';
import { detach, runAll } from './dom.js';
import { SdkError, type Failure } from './error.js';
import type * as Framing from './framing.js';
import { addressWith, schemeOf, type DisplayOptions } from './display.js';
import { closeOutcome, HOLD_MS, withRenewal, type ClosedBy, type Verdict } from './outcome.js';
import type { Session } from './session-url.js';
import { View, type Kind } from './view.js';
import type { WarmPage } from './warm-page.js';
import { takeWarm } from './warm.js';
import { importFor } from './words.js';

export interface FlowHandle extends Promise<FlowResult> {
  /** Closes the flow on behalf of the merchant. Resolves when it is removed from the page. */
  close(): Promise<void>;
}

export interface FlowOptions {
  kind: Kind;
  session: Session;
  container: Element | undefined;
  display: DisplayOptions;
  emit: (event: FlowEvent) => unknown;
}

/** Timeout for the frame to reply. Then the payer can try again. */
const REPLY_TIMEOUT_MS = 10_000;
/** How long the payer can try again. The promise must settle even if the payer has left. */
const RETRY_OFFER_MS = 15_000;
/**
 * A frame that requests to be closed is handling a click or a key. If it were removed immediately, its process might never
 * confirm the event, and browser automation would wait forever.
 */
const EVENT_MS = 100;
/** How often to check whether the page has removed the frame. */
const REMOVED_MS = 200;

const VIOLATION = 'securitypolicyviolation';

/** Saved, because the page may replace it while a payment is in flight. */
const { now } = Date;

/** Browsers have had this method since 2025. Moving a frame in any other way reloads it. */
type Movable = Element & { moveBefore(node: Node, child: Node | null): void };

/** A flow on the page, from its first frame until everything is removed. */
export class OpenFlow {
  /** Returned to the merchant. Settles when a modal closes, or as soon as an inline flow has a result. */
  readonly result: Promise<FlowResult>;
  /** Another flow may open in its place. This one may still show a receipt or an error. */
  isOver = false;

  readonly #options: FlowOptions;
  #address!: URL;
  #view!: View;
  readonly #removals = setInterval(() => {
    // Undefined on a page that has removed the property.
    const { isConnected } = this.#frame as { isConnected?: boolean };
    if (isConnected === false) this.#onGone();
  }, REMOVED_MS);
  #frame!: HTMLIFrameElement;
  #connection!: Connection;
  #endFraming: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  #isConnected = false;
  #isClosed = false;
  #verdict: Verdict | undefined;
  #failure: SdkError | null = null;
  /** While a payment is in flight, the payer can't close the flow before this time, ms since the epoch. Otherwise 0. */
  #holdsUntil = 0;
  #wantsNewSession = false;
  #heldWords = '';
  #reply: Promise<FlowState | null> | null = null;
  #onReply: ((state: FlowState) => void) | null = null;
  #resolve!: (result: FlowResult) => void;
  #reject!: (error: SdkError) => void;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Throws if the page has replaced a function that it calls. Then call {@link abandon}. */
  open(): void {
    const { kind, session, container, display } = this.#options;
    const scheme = schemeOf(display.appearance, container);
    this.#address = addressWith(session.url, display, scheme, Boolean(container));
    const { search, searchParams } = this.#address;
    if (container) searchParams.set('inline', 'true');
    else {
      // Only a modal offers these: an inline flow's promise has settled by then.
      if (display.canRenew) searchParams.set('renew', 'true');
      if (display.canOpen) searchParams.set('next', display.canOpen.join());
    }

    const warm = takeWarm(kind, container, search);
    this.#view =
      (!container && warm?.view) ||
      new View(kind, container, scheme, display.appearance, (host) => {
        if (warm) (host as unknown as Movable).moveBefore(warm.frame, null);
        else this.#load(host);
      });
    if (warm) this.#adopt(warm);
    this.#view.onClose = () => void this.close('payer');
    this.#view.onRetry = () => this.#retry();

    this.#wait();
    const { languages } = navigator;
    void this.#view.speak(display.locale ? [display.locale, ...languages] : languages);
    this.#view.open();
    this.#emit('opened');
    addEventListener('pagehide', this.#onGone);
  }

  /** Cleans up after a failed `open`. Removes the frame, so that nobody can pay. */
  abandon(): void {
    runAll(
      () => this.#disconnect(),
      () => detach(this.#frame),
      () => this.#view?.remove(),
    );
  }

  async close(by: ClosedBy): Promise<void> {
    const needsReply = !this.#verdict && this.#isConnected && !this.#isClosed;
    const reply = needsReply ? await (this.#reply ??= this.#requestState(by)) : null;
    this.#reply = null;
    const outcome = closeOutcome({ by, reply, isHeld: now() < this.#holdsUntil });
    if (outcome === 'asking') {
      // The payer asked to close a moment earlier, and the page replied to that request.
      if (by === 'merchant') await this.close(by);
    } else if (outcome === 'held') this.#view.setState(outcome, this.#heldWords);
    else this.#finish(outcome);
  }

  /** Passes the session to a page that is waiting for it. */
  #adopt(warm: WarmPage): void {
    const { hash, search, href } = this.#address;
    this.#frame = warm.frame;
    this.#connection = warm.connection;
    warm.onMessage = (message) => this.#onMessage(message);
    if (warm.view !== this.#view) warm.view.remove();
    this.#connection.give(`${this.#options.session.id}${search}/${hash.slice(1)}`, href);
  }

  #load(host: HTMLElement): void {
    this.#frame = frameFor(this.#address);
    host.replaceChildren(this.#frame);
    this.#connection = new Connection(this.#frame, this.#address, (message) => this.#onMessage(message));
  }

  /** Waits for the frame's page to reply. */
  #wait(): void {
    this.#view.setState('loading');
    this.#view.show(this.#frame);
    this.#endFraming?.();
    void this.#watchFraming(this.#frame);
    this.#timer = setTimeout(() => this.#onSilence(), REPLY_TIMEOUT_MS);
  }

  async #watchFraming(frame: HTMLIFrameElement): Promise<void> {
    const missed: SecurityPolicyViolationEvent[] = [];
    const onViolation = (event: SecurityPolicyViolationEvent): unknown => missed.push(event);
    addEventListener(VIOLATION, onViolation);
    const { watchFraming } = await importFor<typeof Framing>(navigator.languages);
    removeEventListener(VIOLATION, onViolation);
    if (this.#isConnected || this.#isClosed || frame !== this.#frame) return;
    const { session } = this.#options;
    this.#endFraming = watchFraming?.(frame, session, missed, (...why) => this.#refuse(...why));
  }

  #onSilence(): void {
    const { origin } = this.#options.session;
    this.#view.setState('unreachable');
    this.#fail('frame_unreachable', `${origin} is down, or its allowedOrigins lack ${location.origin}.`);
    this.#timer = setTimeout(() => this.#giveUp(), RETRY_OFFER_MS);
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#failure = null;
    this.#connection.end();
    this.#load(this.#view.host);
    this.#wait();
  }

  /** Fails without offering to try again, because that would fail too. */
  #refuse(...why: Failure): void {
    if (this.#isConnected || this.#isClosed) return;
    this.#view.setState('unreachable');
    this.#fail(...why);
    this.#giveUp();
  }

  /** Settles the merchant's promise. Removes the frame, so that nobody can pay, but keeps the message until it is closed. */
  #giveUp(): void {
    runAll(
      () => this.#disconnect(),
      () => this.#view.giveUp(),
      () => this.#reject(this.#failure as SdkError),
    );
  }

  #onMessage(message: FromPage): void {
    switch (message.type) {
      case 'ready':
        return this.#onReady(message);
      case 'resize':
        return this.#view.resize(message.height);
      case 'reveal':
        return void this.#view.reveal(message);
      case 'state':
        // A frame that is moved starts over, and may be denied storage.
        this.#frame.name = message.attempt || '';
        this.#heldWords = message.words ?? this.#heldWords;
        if (message.reply) this.#onReply?.(message.state);
        return this.#onState(message.state);
      case 'completed':
        return this.#onVerdict({
          status: 'completed',
          sessionId: this.#options.session.id,
          detail: message.detail,
        });
      case 'expired':
        // The page reports this only if no payment is in flight.
        this.#onState('form');
        return this.#onVerdict({ status: 'expired' });
      case 'error':
        return this.#onPageError(message.message);
      case 'close-request':
        return this.#onCloseRequest(message);
    }
  }

  #onReady({ flow, lang, radius, fills }: Extract<FromPage, { type: 'ready' }>): void {
    if (flow && (flow === 'payment') !== (this.#options.kind === 'payment')) {
      const method = flow === 'payment' ? 'completePayment' : 'startFlow';
      return this.#refuse('other_flow', `Open it with ${method}: this session is for ${flow}.`);
    }

    clearTimeout(this.#timer);
    this.#endFraming?.();
    this.#isConnected = true;
    this.#failure = null;
    if (lang) void this.#view.speak([lang]);
    this.#view.adapt(radius, fills);
    // Even if the page is still loading its session: its HTML has the brand and a skeleton.
    this.#view.setState('ready');
    if (this.#view.focusFrame()) this.#connection.post({ type: 'focus' });
    // A page that reloads during a payment reports its state next.
    if (this.#holdsUntil) return;
    this.#emit('ready');
  }

  #onState(state: FlowState): void {
    // For the style of the close button.
    this.#view.host.dataset['page'] = state;
    if (state === 'processing') {
      if (this.#holdsUntil) return;
      this.#holdsUntil = now() + HOLD_MS;
      this.#emit('processing');
    } else if (this.#holdsUntil) {
      this.#holdsUntil = 0;
      this.#view.setState('ready');
      if (state !== 'done') this.#emit('ready');
    }
  }

  #onVerdict(next: Verdict): void {
    const { status, detail }: { status: Verdict['status']; detail?: unknown } = next;
    if (!changesVerdict(status, this.#verdict)) return;
    this.#verdict = next;
    this.#holdsUntil = 0;
    this.#view.setState('ready');
    this.#emit(status, detail);

    if (!this.#options.container) return;
    this.#resolve(next);
    this.#leave();
  }

  #onPageError(message: string): void {
    if (this.#verdict) return;
    this.#fail('page_error', message);
    if (!this.#options.container) return;
    this.#reject(this.#failure as SdkError);
    this.#leave();
  }

  #onCloseRequest({ reason, next }: Extract<FromPage, { type: 'close-request' }>): void {
    if (reason === 'escape' && this.#options.container) return;
    this.#wantsNewSession = reason === 'renew';
    if (next && this.#verdict?.status === 'completed') this.#verdict = { ...this.#verdict, next };
    setTimeout(() => void this.close('payer'), EVENT_MS);
  }

  /** Resolves with the page's state, or null if the page doesn't reply. */
  #requestState(by: ClosedBy): Promise<FlowState | null> {
    return new Promise((resolve) => {
      this.#onReply = resolve;
      setTimeout(resolve, STATE_MS, null);
      this.#connection.post({ type: 'close', by });
    });
  }

  #finish(outcome: FlowResult): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    runAll(
      () => this.#disconnect(),
      () => this.#view.remove(),
      () => this.#emit('closed'),
      () => {
        const result = this.#verdict ?? outcome;
        if (this.#failure && !this.#verdict) this.#reject(this.#failure);
        else this.#resolve(this.#wantsNewSession ? withRenewal(result) : result);
      },
    );
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    runAll(
      () => this.#leave(),
      () => clearInterval(this.#removals),
      () => this.#endFraming?.(),
      () => this.#connection?.end(),
    );
  }

  /** Removes a finished flow that is still shown when the next one opens in its place. */
  clear(): void {
    // Wait until the next flow's caller has its promise. It could mistake our `closed` for its own.
    queueMicrotask(this.#onGone);
  }

  #leave(): void {
    this.isOver = true;
    removeEventListener('pagehide', this.#onGone);
  }

  /** The payer left the merchant's page, or the page removed the frame, so the outcome is unknown. */
  #onGone = (): void => this.#finish({ status: 'unknown' });

  #fail(...[reason, message, code = 'flow_failed']: Failure): void {
    this.#failure = new SdkError(code, message, { reason });
    this.#emit('error', { reason, message });
  }

  #emit(type: FlowEvent['type'], detail?: unknown): void {
    runAll(() => this.#options.emit({ type, sessionId: this.#options.session.id, detail } as FlowEvent));
  }
}
