// Wraps a third-party adapter, which may leak the session's secret or report contradictory results. Copies its reports
// as plain data without the secret. The first verdict counts, and the result claims only what is known.
import { deferred } from './deferred.js';
import { redactor } from './redact.js';
import type { AdapterHandle, FlowEvent, FlowResult, ServiceAdapter } from './sdk.js';
import { CLOSE_MS } from './timing.js';
import { statusOf, Verdict } from './verdict.js';

export const untrusted =
  (adapter: ServiceAdapter): ServiceAdapter =>
  (sdk, call) => {
    const handle = new UntrustedFlow(call, redactor(call.url)).open(sdk, adapter);
    // The flow was frozen in the back-forward cache and may be over.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) handle.close().catch(() => {});
    };
    const stop = () => removeEventListener('pageshow', onPageShow);
    addEventListener('pageshow', onPageShow);
    handle.done.then(stop, stop);
    return handle;
  };

/** Also works without a page. Without `redact`, passes reports through unchanged. Both are for {@link createFakeLoader}. */
export class UntrustedFlow {
  readonly #call: Parameters<ServiceAdapter>[1];
  readonly #redact: ((value: unknown) => unknown) | undefined;
  readonly #verdict = new Verdict();
  readonly #done = deferred<FlowResult>();
  readonly #gone = deferred();
  #handle: AdapterHandle | undefined;
  #closedBy: 'merchant' | undefined;
  #isSettled = false;

  constructor(call: Parameters<ServiceAdapter>[1], redact?: (value: unknown) => unknown) {
    this.#call = call;
    this.#redact = redact;
  }

  open(sdk: unknown, adapter: ServiceAdapter): Required<AdapterHandle> {
    try {
      this.#handle = adapter(sdk, { ...definedOptions(this.#call), emit: this.#emit });
      const { done, gone, concurrent } = this.#handle;
      Promise.resolve(done).then(
        (result) => this.#finish(this.#readResult(result)),
        (error: unknown) => this.#fail(this.#readError(error)),
      );
      Promise.resolve(gone ?? done).then(this.#leave, this.#leave);
      return {
        done: this.#done.promise,
        gone: this.#gone.promise,
        concurrent: concurrent === true,
        close: () => this.#close(),
      };
    } catch (error) {
      throw this.#readError(error);
    }
  }

  readonly #leave = (): void => this.#gone.resolve();

  /** The type still counts if the rest of an event is unreadable. */
  readonly #emit = (event: FlowEvent): void =>
    this.#receive({ type: event.type, ...Object(this.#copy(event)) });

  /** After closing, resolves as `unknown` unless the SDK reports a result. */
  async #close(): Promise<void> {
    this.#closedBy = 'merchant';
    const giveUp = () => setTimeout(() => this.#finish());
    // Nothing can change the outcome of a payment in flight: it is unknown.
    if (this.#verdict.isInFlight) giveUp();
    // `close` may never return.
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
    // An SDK may reject because it was asked to close. A payment in flight may succeed, whatever the error.
    if (this.#closedBy || this.#verdict.reached || this.#verdict.isInFlight) return this.#finish();
    if (this.#isSettled) return;

    this.#isSettled = true;
    this.#done.reject(error);
  }

  #finish(result: FlowResult = { status: 'unknown' }): void {
    const { status, ...rest } = result;
    if (status === 'completed' || status === 'expired') this.#receive({ ...rest, type: status } as FlowEvent);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#done.resolve(this.#verdict.resultOf(result, this.#closedBy));
  }

  #copy(value: unknown): unknown {
    return this.#redact ? this.#redact(value) : value;
  }

  #readResult(result: unknown): FlowResult | undefined {
    const status = statusOf(result);
    return status && { ...Object(this.#copy(result)), status };
  }

  #readError(thrown: unknown): unknown {
    if (!this.#redact) return thrown;

    const error = this.#redact(thrown);
    const { code, message = error, details } = Object(error);
    const words = typeof message === 'string' ? message : undefined;
    const cause = words ? Object.assign(new Error(words), error) : error;
    return { code, message: words, details, cause };
  }
}

/** Omits undefined options, because an SDK may test with `in`. */
const definedOptions = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value)) as T;
