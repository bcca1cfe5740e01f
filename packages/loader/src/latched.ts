// Gives an adapter the guarantees of an SDK with a protocol: the first verdict counts, and the result claims only what is
// known.
import { deferred } from './deferred.js';
import type { AdapterHandle, FlowEvent, FlowResult, ServiceAdapter } from './sdk.js';
import { CLOSE_MS } from './timing.js';
import { Verdict } from './verdict.js';

export const latched =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) =>
    new LatchedFlow(call).open(sdk, adapter);

class LatchedFlow {
  readonly #call: Parameters<ServiceAdapter>[1];
  readonly #verdict = new Verdict();
  readonly #done = deferred<FlowResult>();
  readonly #gone = deferred();
  #handle: AdapterHandle | undefined;
  #closedBy: 'merchant' | undefined;
  #isSettled = false;

  constructor(call: Parameters<ServiceAdapter>[1]) {
    this.#call = call;
  }

  open(sdk: unknown, adapter: ServiceAdapter): AdapterHandle {
    const handle = adapter(sdk, { ...this.#call, emit: (event) => this.#receive(event) });
    const { done, gone = done, concurrent } = handle;
    this.#handle = handle;
    done.then(
      (result) => this.#finish(result),
      (error: unknown) => this.#fail(error),
    );
    gone.then(this.#leave, this.#leave);
    return {
      done: this.#done.promise,
      gone: this.#gone.promise,
      concurrent: !!concurrent,
      close: () => this.#close(),
    };
  }

  readonly #leave = (): void => this.#gone.resolve();

  /** After closing, resolves as `unknown` unless the SDK reports a result. */
  async #close(): Promise<void> {
    this.#closedBy = 'merchant';
    const giveUp = () => setTimeout(() => this.#finish());
    if (this.#verdict.isInFlight) giveUp();
    setTimeout(() => this.#finish(), CLOSE_MS);

    const handle = this.#handle;
    try {
      await handle?.close?.();
      // Without `gone`, no report follows after closing.
      if (handle?.close && !handle.gone && !this.#verdict.isInFlight) this.#leave();
    } finally {
      giveUp();
    }
  }

  #receive(event: FlowEvent): void {
    if (event.type === 'closed') {
      this.#leave();
      // The SDK may report the verdict after it reports that it closed.
      setTimeout(() => this.#finish());
      return;
    }
    if (this.#isSettled || !this.#verdict.record(event)) return;

    this.#call.emit(event);
    if (this.#call.container && this.#verdict.reached) this.#finish();
  }

  #fail(error: unknown): void {
    // An SDK may reject because it was asked to close.
    if (this.#closedBy || this.#verdict.reached) return this.#finish();
    if (this.#isSettled) return;

    this.#isSettled = true;
    // While a payment is in flight, no error code may suggest that nothing happened.
    this.#done.reject(this.#verdict.isInFlight ? { ...Object(error), code: undefined } : error);
  }

  #finish(result: FlowResult = { status: 'unknown' }): void {
    const { status, ...rest } = result;
    if (status === 'completed' || status === 'expired') this.#receive({ type: status, ...rest } as FlowEvent);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#done.resolve(this.#verdict.resultOf(result, this.#closedBy));
  }
}
