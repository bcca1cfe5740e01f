import { own, type Environment, type SessionRef } from './environment.js';
import { heed, invalid, isLoaderError, LoaderError, quiet } from './error.js';
import { tell } from './registry.js';
import { isResult, type FlowEvent, type FlowResult, type ServiceAdapter } from './sdk.js';

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
  concurrent?: boolean | undefined;
  /** Asks it to close and settles it. */
  interrupt: () => void;
}

/** How long a flow that was told to close may take to say how it ended. */
const CLOSE_MS = 3_000;

/** The SDK as promises. `urlOf` refuses a session that must not be opened, and gives the URL of one that may. */
export function embed(
  environment: Environment,
  service: object,
  adapter: ServiceAdapter,
  flows: Set<OpenFlow>,
  urlOf: (session: SessionRef) => string,
): EmbeddedService {
  const door = (flow: 'payment' | 'other') => (session: SessionRef, options?: FlowOptions) =>
    quiet(async () => {
      const url = urlOf(session);
      const { container, signal, onEvent } = own(options);
      // A selector that found nothing must not open a modal instead.
      if (container !== undefined && !container?.getRootNode) throw invalid('container must be an element.');
      heed(signal);
      for (const other of flows)
        if (!other.concurrent || other.container === container)
          throw new LoaderError('flow_in_progress', 'Another flow is open here: wait until it has closed.');

      const focused = globalThis.document?.activeElement as HTMLElement | undefined;
      let handle: ReturnType<ServiceAdapter> | undefined;
      let verdict: FlowResult | undefined;
      let by: 'merchant' | undefined;
      let inFlight = false;
      let over = false;

      return new Promise<FlowResult>((resolve, reject) => {
        const emit = ({ type, ...rest }: FlowEvent) => {
          // What the SDK says last may still be on its way.
          if (type === 'closed') {
            flows.delete(me);
            setTimeout(finish);
          }
          // A verdict latches; only that money moved outranks that time ran out.
          else if (!over && (!verdict || (verdict.status === 'expired' && type === 'completed'))) {
            if (type === 'completed') verdict = { status: type, detail: undefined, ...rest };
            if (type === 'expired') verdict = { status: type };
            inFlight = type === 'processing' || (inFlight && type !== 'ready');
            tell(onEvent, { type, ...rest });
            if (verdict && container) finish();
          }
        };

        const finish = (said?: unknown, error?: LoaderError) => {
          const result = isResult(said) ? said : ({ status: 'unknown' } as const);
          const { status, ...rest } = result;
          if (status === 'completed' || status === 'expired') emit({ type: status, ...rest });
          if (over) return;
          over = true;
          // While a payment is in flight the SDK may hold its modal open: the next one waits for it.
          if (verdict || !inFlight) flows.delete(me);
          // After its verdict an inline flow still shows the receipt.
          if (!container || !verdict) {
            signal?.removeEventListener('abort', me.interrupt);
            tell(onEvent, { type: 'closed' });
          }
          if (error && !verdict) reject(error);
          else if (verdict) resolve(verdict);
          else if (result.status === 'canceled' && !inFlight)
            resolve({ ...result, by: by ?? result.by ?? 'payer' });
          else resolve({ status: 'unknown' });
          if (!container && focused?.isConnected && document.activeElement === document.body) focused.focus();
        };

        const fail = (error: unknown) => {
          const { message, stack, details } = Object(error);
          const texts = [message, error, stack, ...Object.values(Object(error))].filter(
            (each): each is string => typeof each === 'string',
          );
          // Of a session's URL an error tells the origin at most.
          const failed = isLoaderError(error)
            ? error
            : new LoaderError(
                'flow_failed',
                `The SDK failed: ${texts[0]?.replace(/(\w+:\/\/[^/\s]+)[^\s"')]*/g, '$1') ?? 'it gave no reason'}`,
                details && { reason: details.reason },
                texts.join().includes(new URL(url).pathname) ? undefined : error,
              );
          emit({ type: 'error', detail: { code: failed.code } });
          finish(0, failed);
        };

        const me: OpenFlow = {
          container,
          interrupt() {
            by = 'merchant';
            const giveUp = () => setTimeout(finish);
            if (inFlight) giveUp();
            setTimeout(finish, CLOSE_MS);
            // Closed: how it ended is known by now, or never.
            void (async () => handle?.close?.())().then(giveUp, giveUp);
          },
        };
        flows.add(me);
        void (async () => {
          tell(onEvent, { type: 'opened' });
          handle = adapter(service, { flow, url, emit, ...(container && { container }) });
          me.concurrent = handle.concurrent;
          signal?.addEventListener('abort', me.interrupt);
          if (signal?.aborted) me.interrupt();
          finish(await handle.done);
        })()
          .catch(fail)
          .finally(() => flows.delete(me));
      });
    });
  return { environment, completePayment: door('payment'), startFlow: door('other') };
}
