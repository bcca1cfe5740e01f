import { ownProperties, type Environment, type SessionRef } from './environment.js';
import { guarded, invalid, throwIfAborted, isSdkCode, LoaderError } from './error.js';
import { isLeaving, occupy, type OpenFlow } from './page-flows.js';
import type {
  FlowEvent,
  FlowResult,
  NextFlow,
  OpenOptions,
  Presentation,
  PresentationOptions,
  ServiceAdapter,
  AdapterHandle,
} from './sdk.js';
import { until, CLOSE_MS } from './timing.js';
import { focusedElement, restoreFocus } from './focus.js';
import { notify } from './attempt.js';

/** Timeout for a finished flow to leave the page before the next one opens. */
const LEAVING_MS = 1_000;

/**
 * Where and how a flow opens.
 *
 * @example
 * const leave = new AbortController();
 * await service.startFlow(session, {
 *   container: document.querySelector('#autopay')!,
 *   signal: leave.signal,
 *   onEvent: ({ type }) => console.log(type),
 * });
 */
export interface FlowOptions extends PresentationOptions {
  /** Opens the flow inline in this element instead of in a modal. */
  container?: Element | undefined;
  /**
   * Closes the flow when aborted. The result is `unknown`, never `canceled`, while a payment is in flight. After an
   * inline flow has its result, aborting closes what is still shown.
   */
  signal?: AbortSignal | undefined;
  /**
   * Set this if the page can get a new session. A modal whose session has expired, or whose payment failed permanently,
   * then offers to start again, if the SDK supports it. When the payer accepts, the result has `renew: true`: open a
   * new session.
   */
  canRenew?: boolean | undefined;
  /**
   * The flows that the page can open after a payment, such as `['autopay', 'paperless']`. A modal's receipt offers
   * them, if the SDK supports it. When the payer accepts, the flow resolves with `{ status: 'completed', next:
   * 'autopay' }`: open that flow.
   */
  canOpen?: readonly NextFlow[] | undefined;
  /** Called for each event while the flow is open. */
  onEvent?: ((event: FlowEvent) => void) | undefined;
}

/** The operator's SDK, loaded for the right environment, with promises for results. */
export interface EmbeddedService {
  /** The environment of every session that is opened here. */
  readonly environment: Environment;
  /**
   * Opens a payment session. Resolves when the modal closes, or as soon as an inline flow has a result.
   *
   * Rejects with a {@link LoaderError}: `invalid_options`, `environment_mismatch` and `unknown_session_url` before
   * anything opens, `flow_in_progress` if a modal is already open, `aborted` if the signal was aborted before the call,
   * `flow_failed` if the SDK failed.
   *
   * @example
   * const service = await loader.load();
   * const result = await service.completePayment(session.sessionUrl);
   * if (result.status === 'completed') location.assign('/thanks');
   */
  completePayment(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
  /**
   * Opens a session of any of the other six flows. Otherwise like `completePayment`.
   *
   * @example
   * const result = await service.startFlow(session, { container: document.querySelector('#autopay')! });
   */
  startFlow(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
}

interface FlowRequest {
  kind: 'payment' | 'other';
  url: string;
  options: OpenOptions;
  signal: AbortSignal | undefined;
  onEvent: ((event: FlowEvent) => void) | undefined;
}

/** A flow, from the call of its SDK to its result. */
class RunningFlow implements OpenFlow {
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

export interface FlowSettings {
  environment: Environment;
  sdk: object;
  adapter: ServiceAdapter;
  /** The open flows of the page. */
  flows: Set<OpenFlow>;
  /** The URL of a session. Throws if the session must not be opened. */
  urlOf: (session: SessionRef) => string;
  defaults?: PresentationOptions;
}

export function embed(settings: FlowSettings): EmbeddedService {
  const { environment } = settings;
  return {
    environment,
    completePayment: (session, options) => guarded(() => openFlow('payment', session, options, settings)),
    startFlow: (session, options) => guarded(() => openFlow('other', session, options, settings)),
  };
}

/** The flow's language and appearance. Each defaults to the loader's. */
export function presentationOf(
  input: PresentationOptions | undefined,
  defaults: Partial<PresentationOptions> = {},
): Presentation {
  const { locale, appearance } = ownProperties(input);
  return {
    locale: locale ?? defaults.locale ?? undefined,
    appearance: appearance ?? defaults.appearance ?? undefined,
  } as Presentation;
}

async function openFlow(
  kind: 'payment' | 'other',
  session: SessionRef,
  input: FlowOptions | undefined,
  { sdk, adapter, flows, urlOf, defaults }: FlowSettings,
): Promise<FlowResult> {
  const url = urlOf(session);
  const { signal, onEvent, container, canRenew, canOpen } = ownProperties(input);
  const presentation = presentationOf(input, defaults);
  const options = { container, canRenew, canOpen, ...presentation } as OpenOptions;

  // If a selector matched nothing, don't open a modal instead.
  if (container !== undefined && !container?.getRootNode) throw invalid('container must be an element.');

  throwIfAborted(signal);
  if (isLeaving(flows, container)) {
    await until(() => signal?.aborted || !isLeaving(flows, container), LEAVING_MS);
    throwIfAborted(signal);
  }

  const flow = new RunningFlow({ kind, url, options, signal, onEvent }, flows);
  occupy(flows, flow);
  return flow.open(sdk, adapter);
}
