import { isSdkCode, LoaderError } from './error.js';
import { focusedElement, restoreFocus } from './focus.js';
import { notify } from './notify.js';
import type { OpenFlow } from './page-flows.js';
import type { AdapterHandle, FlowEvent, FlowResult, OpenOptions, ServiceAdapter } from './sdk.js';
import { CLOSE_MS } from './timing.js';

/** The arguments of a flow. */
export interface FlowRequest {
  kind: 'payment' | 'other';
  url: string;
  options: OpenOptions;
  signal: AbortSignal | undefined;
  onEvent: ((event: FlowEvent) => void) | undefined;
}

/** A flow, from the call of its SDK to its result. */
export class RunningFlow implements OpenFlow {
  readonly container: Element | undefined;
  concurrent: boolean | undefined;
  isOver = false;

  readonly #request: FlowRequest;
  /** Removes this flow from the page's open flows. */
  readonly #leavePage: () => void;
  readonly #focused = focusedElement();
  #handle: AdapterHandle | undefined;
  #isSettled = false;
  #resolve!: (result: FlowResult) => void;
  #reject!: (error: LoaderError) => void;

  /** `flows`: the open flows of the page. */
  constructor(request: FlowRequest, flows: Set<OpenFlow>) {
    this.#request = request;
    this.#leavePage = () => flows.delete(this);
    this.container = request.options.container;
  }

  /** Calls the SDK. Rejects with `flow_failed`, or with an SDK's own code if it is one of ours. */
  open(sdk: object, adapter: ServiceAdapter): Promise<FlowResult> {
    this.#run(sdk, adapter).then(
      (result) => this.#finish(result),
      (error: unknown) => this.#fail(error),
    );
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Asks the SDK to close. The result is `unknown` if it doesn't settle in time. */
  interrupt = (): void => {
    this.isOver = true;
    setTimeout(() => this.#finish(), CLOSE_MS);
    this.#handle?.close?.().catch(() => {});
  };

  async #run(sdk: object, adapter: ServiceAdapter): Promise<FlowResult> {
    const { kind, url, options, signal } = this.#request;
    this.#emit({ type: 'opened' });

    this.#handle = adapter(sdk, { flow: kind, url, emit: (event) => this.#emit(event), ...options });
    const { done, gone = done, concurrent } = this.#handle;
    this.concurrent = concurrent;

    signal?.addEventListener('abort', this.interrupt);
    if (signal?.aborted) this.interrupt();

    // Until the flow is gone, nothing else may open, even if the caller has its result.
    gone.then(this.#leavePage, this.#leavePage);
    return done;
  }

  #emit(event: FlowEvent): void {
    if (!this.#isSettled) notify(this.#request.onEvent, event);
  }

  #fail(error: unknown): void {
    if (!this.#handle) this.#leavePage();
    const failure = failureOf(error);
    this.#emit({ type: 'error', detail: { code: failure.code } });
    this.#end(() => this.#reject(failure));
  }

  /** An SDK that reports no result leaves the outcome unknown. */
  #finish(reported?: FlowResult): void {
    const result = reported ?? { status: 'unknown' };
    const hasVerdict = result.status === 'completed' || result.status === 'expired';
    this.#end(() => this.#resolve(result), hasVerdict);
  }

  #end(settle: () => void, hasVerdict = false): void {
    if (this.#isSettled) return;

    settle();

    if (this.container && hasVerdict) {
      // An inline flow still shows its receipt. The signal can close it.
      this.#leavePage();
    } else {
      this.#request.signal?.removeEventListener('abort', this.interrupt);
      this.#emit({ type: 'closed' });
    }
    this.#isSettled = this.isOver = true;
    if (!this.container) void restoreFocus(this.#focused);
  }
}

function failureOf(error: unknown): LoaderError {
  const { code, message, details, cause = error } = Object(error);
  const isKnown = isSdkCode(code) && message;
  return new LoaderError(
    isKnown ? code : 'flow_failed',
    isKnown ? message : `The SDK failed: ${message || 'no reason given'}`,
    { ...details },
    cause,
  );
}
