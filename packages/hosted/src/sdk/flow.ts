import type { FlowEvent, FlowResult } from '@embedded-sessions/loader';
import { STATE_MS, type FlowState, type FromPage } from '../messages.js';
import { Connection, frameFor } from './connect.js';
import { detach, runAll } from './dom.js';
import { SdkError, type Failure } from './error.js';
import type * as Framing from './framing.js';
import { addressWith, schemeOf, type Appearances } from './looks.js';
import { closeOutcome, outranks, withRenewal, type ClosedBy, type Verdict } from './outcome.js';
import type { Session } from './session-url.js';
import { View, type Kind } from './view.js';
import type { Warm } from './warm-page.js';
import { takeWarm } from './warm.js';
import { importFor } from './words.js';

/** The promise of a flow's result. */
export interface FlowHandle extends Promise<FlowResult> {
  /** Closes the flow for the merchant. Resolves when it has left the page. */
  close(): Promise<void>;
}

export interface FlowOptions {
  kind: Kind;
  /** The flow that the session must have. `other`: any except a payment. */
  expectedFlow: string;
  session: Session;
  container: Element | undefined;
  appearances: Appearances;
  emit: (event: FlowEvent) => unknown;
}

/** Timeout of a frame. Then the payer can try again. */
const ANSWER_MS = 10_000;
/** How long that offer lasts: the promise must settle even if the payer has left. */
const OFFER_MS = 15_000;
/**
 * A frame that asks to be closed is handling a click or a key. If it is removed during that, its process may never confirm
 * the event, and tools that drive the browser wait forever.
 */
const EVENT_MS = 100;
/** How often to check that the page has not removed the frame. */
const REMOVED_MS = 200;

const VIOLATION = 'securitypolicyviolation';

/** In browsers since 2025. A frame that is moved any other way reloads. */
type Movable = Element & { moveBefore(node: Node, child: Node | null): void };

/** One flow on the page, from its first frame until everything is removed. */
export class OpenFlow {
  /** The merchant's promise. A modal's settles when it closes, an inline flow's as soon as it has a result. */
  readonly result: Promise<FlowResult>;
  /** Its place is free for the next flow, though it may still show a receipt or an error. */
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
  #verdict: Verdict | null = null;
  #failure: SdkError | null = null;
  #processingSince: number | null = null;
  #wantsNewSession = false;
  #heldWords = '';
  #answer: Promise<FlowState | null> | null = null;
  #onAnswer: ((state: FlowState) => void) | null = null;
  #resolve!: (result: FlowResult) => void;
  #reject!: (error: SdkError) => void;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Throws if the page has replaced something that it needs. Then call {@link abandon}. */
  open(): void {
    const { kind, session, container, appearances } = this.#options;
    const scheme = schemeOf(appearances.appearance, container);
    this.#address = addressWith(session.url, appearances, scheme, Boolean(container));
    const { search, searchParams } = this.#address;
    if (container) searchParams.set('inline', 'true');
    // The page gets the result of an inline flow immediately, so only a modal offers more.
    else if (appearances.canRenew) searchParams.set('renew', 'true');
    if (appearances.canOpen && !container) searchParams.set('next', appearances.canOpen.join());

    const warm = takeWarm(kind, container, search);
    this.#view =
      (!container && warm?.view) ||
      new View(kind, container, scheme, appearances.appearance, (host) => {
        if (warm) (host as unknown as Movable).moveBefore(warm.frame, null);
        else this.#load(host);
      });
    if (warm) this.#use(warm);
    this.#view.onClose = () => void this.close('payer');
    this.#view.onRetry = () => this.#retry();

    this.#wait();
    const { languages } = navigator;
    void this.#view.speak(appearances.locale ? [appearances.locale, ...languages] : languages);
    this.#view.open();
    this.#emit('opened');
    addEventListener('pagehide', this.#onGone);
  }

  /** Removes what a failed `open` has left. Without a frame nobody can pay. */
  abandon(): void {
    runAll(
      () => this.#leave(),
      () => this.#disconnect(),
      () => detach(this.#frame),
      () => this.#view?.remove(),
    );
  }

  async close(by: ClosedBy): Promise<void> {
    const mustAsk = !this.#verdict && this.#isConnected && !this.#isClosed;
    const answer = mustAsk ? await (this.#answer ??= this.#askState(by)) : null;
    this.#answer = null;
    if (this.#isClosed) return;

    const since = this.#processingSince;
    const processingForMs = since === null ? null : Date.now() - since;
    const outcome = closeOutcome({ by, verdict: this.#verdict, answer, processingForMs });
    if (outcome === 'held') this.#view.setState('held', this.#heldWords);
    else if (outcome !== 'asking') this.#finish(outcome);
  }

  /** Gives the session to a page that was opened ahead. */
  #use(warm: Warm): void {
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

  /** Waits for the page in the frame. */
  #wait(): void {
    this.#view.setState('loading');
    this.#view.show(this.#frame);
    this.#endFraming?.();
    void this.#watchFraming(this.#frame);
    this.#timer = setTimeout(() => this.#onSilence(), ANSWER_MS);
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
    this.#fail(
      'frame_unreachable',
      `${origin} does not respond. If it is up, add ${location.origin} to the business unit's allowedOrigins.`,
    );
    this.#timer = setTimeout(() => this.#giveUp(), OFFER_MS);
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#failure = null;
    this.#connection.end();
    this.#load(this.#view.host);
    this.#wait();
  }

  /** Fails without offering to try again, which would fail too. */
  #refuse(...why: Failure): void {
    if (this.#isConnected || this.#isClosed) return;
    this.#view.setState('unreachable');
    this.#fail(...why);
    this.#giveUp();
  }

  /** Settles the merchant's promise. Without a frame nobody can pay, but the message stays until it is closed. */
  #giveUp(): void {
    runAll(
      () => this.#disconnect(),
      () => this.#view.giveUp(),
      () => this.#reject(this.#failure as SdkError),
      () => this.#leave(),
    );
  }

  #onMessage(message: FromPage): void {
    switch (message.type) {
      case 'ready':
        return this.#onReady(message);
      case 'resize':
        return this.#view.resize(message.height);
      case 'reveal':
        return this.#view.reveal(message.top, message.height);
      case 'state':
        this.#heldWords = message.words ?? this.#heldWords;
        this.#onAnswer?.(message.state);
        return this.#onState(message.state);
      case 'completed':
        return this.#reach({
          status: 'completed',
          sessionId: this.#options.session.id,
          detail: message.detail,
        });
      case 'expired':
        // A page reports it only when it knows that no payment is in flight.
        this.#onState('form');
        return this.#reach({ status: 'expired' });
      case 'error':
        return this.#onPageError(message.message);
      case 'close-request':
        return this.#onCloseRequest(message);
    }
  }

  #onReady({ flow, lang, radius }: Extract<FromPage, { type: 'ready' }>): void {
    const { expectedFlow } = this.#options;
    if (flow && flow !== expectedFlow && (flow === 'payment' || expectedFlow !== 'other')) {
      const message = `Create a session for ${expectedFlow}: this one is for ${flow}.`;
      return this.#refuse('other_flow', message);
    }

    clearTimeout(this.#timer);
    this.#endFraming?.();
    this.#isConnected = true;
    this.#failure = null;
    if (lang) void this.#view.speak([lang]);
    if (radius) this.#view.setRadius(radius);
    // Its HTML has the brand and a skeleton while it is still requesting its session.
    this.#view.setState('ready');
    if (this.#view.focusFrame()) this.#connection.post({ type: 'focus' });
    this.#emit('ready');
  }

  #onState(state: FlowState): void {
    if (state === 'processing') {
      if (this.#processingSince === null) this.#emit('processing');
      this.#processingSince ??= Date.now();
    } else if (this.#processingSince !== null) {
      this.#processingSince = null;
      this.#view.setState('ready');
      if (state === 'form') this.#emit('ready');
    }
  }

  #reach(next: Verdict): void {
    if (!outranks(next, this.#verdict)) return;
    this.#verdict = next;
    this.#processingSince = null;
    this.#view.setState('ready');
    this.#emit(next.status, next.status === 'completed' ? next.detail : undefined);

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

  /** Resolves with the page's state, or with null if it does not reply. */
  #askState(by: ClosedBy): Promise<FlowState | null> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
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
      () => this.#leave(),
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
      () => clearInterval(this.#removals),
      () => this.#endFraming?.(),
      () => this.#connection?.end(),
    );
  }

  /** Removes what is still shown when the next flow opens here. */
  clear(): void {
    // After the call that opens the next flow, whose caller could mistake our `closed` for its own.
    queueMicrotask(this.#onGone);
  }

  #leave(): void {
    this.isOver = true;
    removeEventListener('pagehide', this.#onGone);
  }

  /** The merchant's page was left, or removed the frame, so the outcome is unknown. */
  #onGone = (): void => this.#finish({ status: 'unknown' });

  #fail(...[reason, message, code = 'flow_failed']: Failure): void {
    this.#failure = new SdkError(code, message, { reason });
    this.#emit('error', { reason, message });
  }

  #emit(type: FlowEvent['type'], detail?: unknown): void {
    runAll(() => this.#options.emit({ type, sessionId: this.#options.session.id, detail } as FlowEvent));
  }
}
