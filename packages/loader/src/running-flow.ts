import { attempt } from './attempt.js';
import { isCode, LoaderError } from './error.js';
import { focusedElement, restoreFocus } from './focus.js';
import { notify } from './notify.js';
import type { OpenFlow } from './page-flows.js';
import type { AdapterHandle, FlowEvent, FlowResult, OpenOptions, ServiceAdapter } from './sdk.js';
import { Verdict } from './verdict.js';

/** Timeout for a flow that was asked to close to report its result. */
const CLOSE_MS = 3_000;

/** What one flow is opened with. */
export interface FlowRequest {
  kind: 'payment' | 'other';
  url: string;
  options: OpenOptions;
  signal: AbortSignal | undefined;
  onEvent: ((event: FlowEvent) => void) | undefined;
}

/** One flow, from the call of its SDK to the result that its caller gets. */
export class RunningFlow implements OpenFlow {
  readonly container: Element | undefined;
  concurrent: boolean | undefined;
  isOver = false;

  readonly #request: FlowRequest;
  /** Takes this flow off the list of those that are on the page. */
  readonly #leavePage: () => void;
  readonly #focused = focusedElement();
  readonly #verdict = new Verdict();
  #handle: AdapterHandle | undefined;
  #closedBy: 'merchant' | undefined;
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
      (answer) => this.#finish(answer),
      (error: unknown) => this.#fail(error),
    );
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Asks the SDK to close. How the flow ended is known once it has closed, or never. */
  interrupt = (): void => {
    this.#closedBy = 'merchant';
    this.isOver = true;

    const giveUp = () => setTimeout(() => this.#finish());
    if (this.#verdict.isInFlight) giveUp();
    setTimeout(() => this.#finish(), CLOSE_MS);
    this.#close().then(giveUp, giveUp);
  };

  async #run(sdk: object, adapter: ServiceAdapter): Promise<FlowResult> {
    const { kind, url, options, signal, onEvent } = this.#request;
    notify(onEvent, { type: 'opened' });

    const emit = (event: FlowEvent) => this.#receive(event);
    this.#handle = adapter(sdk, { flow: kind, url, emit, ...options });
    const { done, gone = done, concurrent } = this.#handle;
    this.concurrent = concurrent;

    signal?.addEventListener('abort', this.interrupt);
    if (signal?.aborted) this.interrupt();

    // Nothing else may open until then, even if the caller has its result.
    gone.then(this.#leavePage, this.#leavePage);
    return done;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    await handle?.close?.();
    // Without `gone`, nothing is reported after closing.
    if (handle?.close && !handle.gone && !this.#verdict.isInFlight) this.#leavePage();
  }

  #receive(event: FlowEvent): void {
    if (event.type === 'closed') {
      this.#leavePage();
      // The SDK may report the verdict after it reports that it closed.
      setTimeout(() => this.#finish());
      return;
    }
    if (this.#isSettled || !this.#verdict.record(event)) return;
    notify(this.#request.onEvent, event);
    if (this.container && this.#verdict.reached) this.#finish();
  }

  #fail(error: unknown): void {
    if (!this.#handle) this.#leavePage();
    // An SDK that was asked to close may reject because it did.
    if (this.#closedBy) return this.#finish();

    const failure = failureOf(error, this.#verdict.isInFlight);
    this.#receive({ type: 'error', detail: { code: failure.code } });
    this.#finish(undefined, failure);
  }

  #finish(answer: FlowResult = { status: 'unknown' }, error?: LoaderError): void {
    const { status, ...rest } = answer;
    if (status === 'completed' || status === 'expired') this.#receive({ type: status, ...rest } as FlowEvent);
    if (this.#isSettled) return;
    this.#isSettled = this.isOver = true;

    const { reached } = this.#verdict;
    if (error && !reached) this.#reject(error);
    else this.#resolve(this.#verdict.resultOf(answer, this.#closedBy));

    if (this.container && reached) {
      // An inline flow still shows its receipt. The signal can close it.
      this.#leavePage();
    } else {
      attempt(() => this.#request.signal?.removeEventListener('abort', this.interrupt));
      notify(this.#request.onEvent, { type: 'closed' });
    }
    if (!this.container) void restoreFocus(this.#focused);
  }
}

function failureOf(error: unknown, isInFlight: boolean): LoaderError {
  const { code, message, details, cause = error } = Object(error);
  // No code that invites a retry while a payment may be in flight.
  const isKnown = isCode(code) && !isInFlight && message;
  return new LoaderError(
    isKnown ? code : 'flow_failed',
    isKnown ? message : `The SDK failed: ${message || 'it gave no reason'}`,
    { ...details },
    cause,
  );
}
