// For SDKs without `protocol`. Infers how their flows end from what they return, what they report, and whether their frame
// is on the page.
import { deferred } from './deferred.js';
import { EventRouter, type Recipient } from './event-router.js';
import { FrameWatch, type Visibility } from './frame-watch.js';
import { registry } from './registry.js';
import type { AdapterHandle, FlowEvent, FlowResult, ServiceAdapter, ServiceGlobal } from './sdk.js';
import { POLL_MS } from './timing.js';
import { statusOf } from './verdict.js';

/** How long a flow may be invisible. */
const UNSEEN_MS = 10_000;
/** After its frame is gone, how long an SDK may take to report how the flow ended or to show another frame. */
const FRAME_GONE_MS = 500;
/** Longer than any session lives. */
const MAX_FLOW_MS = 2 * 60 * 60_000;

export { untrusted } from './untrusted.js';

/** Opens a flow. A promise that resolves with a result has priority, then events, then the removal of the frame. */
export const undeclaredAdapter: ServiceAdapter = (service, call) => {
  const sdk = service as ServiceGlobal;
  const routers = (registry().routers ??= new WeakMap());
  const router = routers.get(sdk) ?? new EventRouter();
  routers.set(sdk, router);
  return new UndeclaredFlow(sdk, call).open(router);
};

class UndeclaredFlow implements Recipient {
  readonly url: string;
  id?: string | undefined;
  isGone = false;
  isClosed = false;
  isInFlight = false;
  hasVerdict = false;

  readonly #sdk: ServiceGlobal;
  readonly #call: Parameters<ServiceAdapter>[1];
  readonly #frame: FrameWatch;
  readonly #done = deferred<unknown>();
  readonly #gone = deferred();
  /** What the SDK's method returned. */
  #returned: { then?: unknown; close?: () => unknown } = {};
  /** The SDK's promise may still report how the flow ended. */
  #isPending = false;
  #hasFailed = false;
  #visibility: Visibility = 'unseen';
  #changedAt = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(sdk: ServiceGlobal, call: Parameters<ServiceAdapter>[1]) {
    this.url = call.url;
    this.#sdk = sdk;
    this.#call = call;
    this.#frame = new FrameWatch(new URL(call.url).origin, call.container as HTMLElement | undefined);
  }

  open(router: EventRouter): AdapterHandle {
    const { flow, url, emit: _, ...options } = this.#call;
    const sdk = this.#sdk;

    try {
      router.add(sdk, this);
      const args = [url, ...(Object.keys(options)[0] ? [options] : [])] as const;
      this.#returned = Object(flow === 'payment' ? sdk.completePayment(...args) : sdk.startFlow(...args));
      this.#isPending = !!this.#returned.then;
      this.#visibility = this.#frame.look(true);
      if (!this.isGone) this.#timer = setInterval(() => this.#check(), POLL_MS);
      if (this.#isPending)
        Promise.resolve(this.#returned).then(
          (value) => this.#onValue(value),
          (error: unknown) => this.#onError(error),
        );
    } catch (error) {
      this.#onError(error);
    }

    return {
      done: this.#done.promise as Promise<FlowResult>,
      gone: this.#gone.promise,
      close: () => this.#close(),
      // Each promise belongs to one flow, so flows can't get each other's results.
      concurrent: !!(this.#returned.then && this.#returned.close),
    };
  }

  receive(type: FlowEvent['type'], detail: unknown): void {
    this.#changedAt = Date.now();

    if (type === 'closed' || type === 'error') {
      if (this.#isPending) return;
      if (type === 'error') {
        this.#hasFailed = true;
        this.#done.reject(detail);
        return;
      }
      // Some SDKs report `closed` before the verdict.
      setTimeout(() => this.#end(detail));
      return;
    }

    this.#call.emit({ type, ...(this.id && { sessionId: this.id }), detail } as FlowEvent);
    // An inline flow may keep showing its receipt.
    if (this.#call.container && this.hasVerdict && !this.#isPending) this.#leavePage();
  }

  #onValue(value: unknown): void {
    const isOver = !!statusOf(value);
    this.#isPending = false;
    this.#changedAt = Date.now();
    this.hasVerdict ||= isOver;
    this.isClosed ||= isOver;
    // A promise that resolves with something else may only mean that the flow has opened.
    if (this.isClosed) this.#end(value);
  }

  #onError(error: unknown): void {
    this.isClosed = this.hasVerdict = true;
    this.#done.reject(error);
    this.#leavePage();
  }

  async #close(): Promise<void> {
    await this.#returned.close?.();
    // If nothing was ever visible, only a `closed` event can report the end.
    if (this.#frame.look() === 'unseen' && (this.#isPending || !this.#sdk.on)) this.#leavePage();
  }

  #check(): void {
    const visibility = this.#frame.look();
    if (visibility !== this.#visibility) this.#changedAt = Date.now();
    this.#visibility = visibility;

    const mayReport = this.#isPending ? !this.isClosed : this.#sdk.on && !this.hasVerdict;
    const unseenMs = mayReport ? MAX_FLOW_MS : UNSEEN_MS;
    const deadlines: Record<Visibility, number> = {
      unseen: this.#hasFailed ? FRAME_GONE_MS : unseenMs,
      shown: Infinity,
      hidden: mayReport ? UNSEEN_MS : FRAME_GONE_MS,
      gone: FRAME_GONE_MS,
    };
    if (Date.now() - this.#changedAt < deadlines[visibility]) return;

    if (visibility === 'unseen' && !this.#hasFailed) this.#call.emit({ type: 'unobservable' });
    this.#end();
  }

  #end(value?: unknown): void {
    this.#done.resolve(value);
    this.#leavePage();
  }

  #leavePage(): void {
    clearInterval(this.#timer);
    this.#frame.stop();
    this.isGone = true;
    this.#gone.resolve();
  }
}
