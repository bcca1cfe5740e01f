import { own, type Environment, type SessionRef } from './environment.js';
import { aborted, isLoaderError, LoaderError, quiet } from './error.js';
import { tell } from './registry.js';
import { isResult, type FlowEvent, type FlowResult, type ServiceAdapter } from './sdk.js';

/** Where and how a flow opens. */
export interface FlowOptions {
  /** Opens inline in this element; without it, in a modal. */
  container?: Element;
  /**
   * Aborted: the flow is asked to close. While a payment is in flight the result is `unknown`, never `canceled`.
   * After the verdict of an inline flow it closes what is still shown.
   */
  signal?: AbortSignal;
  /** Told what happens while the flow is open. */
  onEvent?: (event: FlowEvent) => void;
}

/** The operator's SDK, loaded and of the right environment, as promises. */
export interface EmbeddedService {
  /** The environment that every session opened here must be of. */
  readonly environment: Environment;
  /**
   * Opens a payment session. Resolves when the modal closes, or for an inline flow at its verdict.
   *
   * Rejects with a {@link LoaderError}: `invalid_options`, `environment_mismatch` and `unknown_session_url` before
   * anything opens, `flow_in_progress` when a modal is open already, `aborted` when the signal was aborted before,
   * `flow_failed` when the SDK failed.
   *
   * @example
   * const service = await loader.load();
   * const result = await service.completePayment(session.sessionUrl);
   * if (result.status === 'completed') location.assign('/thanks');
   */
  completePayment(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
  /**
   * Opens a session of any of the other six flows; otherwise as `completePayment`.
   *
   * @example
   * const result = await service.startFlow(session, { container: document.querySelector('#autopay')! });
   */
  startFlow(session: SessionRef, options?: FlowOptions): Promise<FlowResult>;
}

/** A flow on the page: what the next one must not meet. */
export interface OpenFlow {
  container: Element | undefined;
  concurrent: boolean;
}

/** A result with the fields of any. */
interface Answer {
  status: FlowResult['status'];
  by?: 'payer' | 'merchant';
  sessionId?: string;
  detail?: unknown;
}

/** How long a flow that was told to close may take to say how it ended. */
const CLOSE_MS = 3_000;

/** An SDK's failure as ours: of a session's URL it tells the origin at most. */
function failure(error: unknown, url: string): LoaderError {
  if (isLoaderError(error)) return error;
  const { message = error, stack, details } = Object(error);
  const tail = url.slice(new URL(url).origin.length);
  return new LoaderError(
    'flow_failed',
    `The SDK failed: ${String(message).replace(/(\w+:\/\/[^/\s]+)[^\s"')]*/g, '$1')}`,
    details && { reason: details.reason },
    `${message}${stack}`.includes(tail) ? undefined : error,
  );
}

/** The SDK as promises. `urlOf` refuses a session that must not be opened, and gives the URL of one that may. */
export function embed(
  environment: Environment,
  service: object,
  adapter: ServiceAdapter,
  flows: Set<OpenFlow>,
  urlOf: (session: SessionRef) => string,
): EmbeddedService {
  const open = (flow: 'payment' | 'other', url: string, { container, signal, onEvent }: FlowOptions) => {
    if (signal?.aborted) throw aborted(signal);
    for (const other of flows)
      if (!other.concurrent || other.container === container)
        throw new LoaderError(
          'flow_in_progress',
          'Another flow is open on this page: wait until it has closed.',
        );

    const me: OpenFlow = { container, concurrent: false };
    const focused = globalThis.document?.activeElement as HTMLElement | undefined;
    let handle: ReturnType<ServiceAdapter> | undefined;
    let verdict: FlowResult | undefined;
    let inFlight = false;
    let interrupted = false;
    let over = false;

    return new Promise<FlowResult>((resolve, reject) => {
      const emit = ({ type, ...rest }: FlowEvent) => {
        // What the SDK says last may still be on its way.
        if (type === 'closed') setTimeout(finish);
        // A verdict latches; only that money moved outranks that time ran out.
        else if (!over && (!verdict || (verdict.status === 'expired' && type === 'completed'))) {
          inFlight = type === 'processing' || (inFlight && type !== 'ready');
          if (type === 'completed') verdict = { status: type, detail: undefined, ...rest };
          if (type === 'expired') verdict = { status: type };
          tell(onEvent, { type, ...rest });
          if (verdict && container) finish();
        }
      };

      const finish = (result?: unknown, error?: LoaderError) => {
        const { status, by, ...rest }: Answer = isResult(result) ? result : { status: 'unknown' };
        if (status === 'completed' || status === 'expired') emit({ ...rest, type: status });
        if (over) return;
        over = true;
        globalThis.removeEventListener?.('pageshow', onPageShow);
        // While a payment is in flight the SDK may hold its modal open: the next one waits for it.
        if (verdict || !inFlight) flows.delete(me);
        if (!container) signal?.removeEventListener('abort', interrupt);
        if (!container || !verdict) tell(onEvent, { type: 'closed' });
        if (error && !verdict) reject(error);
        else
          resolve(
            verdict ??
              (status === 'canceled' && !inFlight
                ? { status, by: interrupted ? 'merchant' : (by ?? 'payer') }
                : { status: 'unknown' }),
          );
        if (!container && focused?.isConnected && document.activeElement === document.body) focused.focus();
      };

      const fail = (reason: unknown) => {
        const error = failure(reason, url);
        emit({ type: 'error', detail: { code: error.code } });
        finish(undefined, error);
        flows.delete(me);
      };

      const interrupt = () => {
        interrupted = true;
        const giveUp = () => setTimeout(finish);
        if (inFlight) giveUp();
        setTimeout(finish, CLOSE_MS);
        // Closed: how it ended is known by now, or never.
        void (async () => handle?.close?.())().then(giveUp, giveUp);
      };

      // Out of the back-forward cache: what was open has been away and may be over.
      const onPageShow = (event: PageTransitionEvent) => {
        if (event.persisted) interrupt();
      };

      flows.add(me);
      globalThis.addEventListener?.('pageshow', onPageShow);
      try {
        handle = adapter(service, { flow, url, emit, ...(container && { container }) });
        me.concurrent = !!handle.concurrent;
        tell(onEvent, { type: 'opened' });
        signal?.addEventListener('abort', interrupt);
        if (signal?.aborted) interrupt();
        handle.done
          .then((result) => finish(result))
          .catch(fail)
          .finally(() => flows.delete(me));
      } catch (error) {
        fail(error);
      }
    });
  };

  const door = (flow: 'payment' | 'other') => (session: SessionRef, options?: FlowOptions) =>
    quiet(async () => open(flow, urlOf(session), own(options)));
  return { environment, completePayment: door('payment'), startFlow: door('other') };
}
