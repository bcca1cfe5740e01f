import { own, type Environment, type SessionRef } from './environment.js';
import { aborted, isLoaderError, LoaderError, quiet } from './error.js';
import { tell } from './registry.js';
import { resultOf, type FlowEvent, type FlowResult, type ServiceAdapter } from './sdk.js';

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

/** How long a flow that was told to close may take to say how it ended. */
const CLOSE_MS = 3_000;

/** What an SDK's failure may say: nothing of a session's URL but its origin. */
function failure(error: unknown, url: string): LoaderError {
  if (isLoaderError(error)) return error;
  const { origin, hash } = new URL(url);
  const clean = (text: unknown): string =>
    [hash.slice(1), url.slice(origin.length)].reduce(
      (said, secret) => (secret.length > 1 ? said.replaceAll(secret, '…') : said),
      String(text),
    );
  const { message, reason, details } = Object(error);
  const said = clean(message ?? error);
  const why = details?.reason ?? reason;
  return new LoaderError(
    'flow_failed',
    `The SDK at ${origin} could not show the session: ${said}`,
    typeof why === 'string' ? { reason: clean(why) } : {},
    new Error(said),
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
  const door = (flow: 'payment' | 'other') => (session: SessionRef, options?: FlowOptions) =>
    quiet(async () => open(flow, urlOf(session), service, adapter, flows, own(options)));
  return { environment, completePayment: door('payment'), startFlow: door('other') };
}

function open(
  flow: 'payment' | 'other',
  url: string,
  service: object,
  adapter: ServiceAdapter,
  flows: Set<OpenFlow>,
  { container, signal, onEvent }: FlowOptions,
): Promise<FlowResult> {
  if (signal?.aborted) throw aborted(signal);
  for (const other of flows)
    if (!other.concurrent || other.container === container)
      throw new LoaderError(
        'flow_in_progress',
        'Another flow is open on this page. Open this one when it has closed.',
      );

  const me: OpenFlow = { container, concurrent: false };
  const focused = globalThis.document?.activeElement;
  let handle: ReturnType<ServiceAdapter> | undefined;
  let opened = false;
  let over = false;
  let inFlight = false;
  let interrupted = false;
  let verdict: FlowResult | undefined;

  return new Promise((resolve, reject) => {
    const report = (event: FlowEvent) => {
      if (!opened) tell(onEvent, { type: 'opened' });
      opened = true;
      if (event.type !== 'opened') tell(onEvent, event);
    };

    const emit = (event: FlowEvent) => {
      if (over) return;
      const { type } = event;
      if (type === 'ready' || type === 'processing') inFlight = type === 'processing';
      if (type === 'completed' || type === 'expired') {
        // A verdict latches; only that money moved outranks that time ran out.
        if (verdict && !(verdict.status === 'expired' && type === 'completed')) return;
        const { sessionId, detail } = event;
        verdict =
          type === 'expired' ? { status: type } : { status: type, ...(sessionId && { sessionId }), detail };
      }
      // What the SDK says last may still be on its way.
      if (type === 'closed') setTimeout(finish);
      else if (type !== 'error' || !verdict) report(event);
      if (verdict && container) finish();
    };

    const end = () => {
      over = true;
      globalThis.removeEventListener?.('pageshow', onPageShow);
      // While a payment is in flight the SDK may hold its modal open: the next one waits for it.
      if (verdict || !inFlight) flows.delete(me);
      if (!container) signal?.removeEventListener('abort', interrupt);
      if (!container || !verdict) report({ type: 'closed' });
    };

    const finish = (result: FlowResult = { status: 'unknown' }) => {
      const { status } = result;
      if (status === 'completed' || status === 'expired') emit({ ...result, type: status });
      if (over) return;
      end();
      const canceled = status === 'canceled' && !inFlight;
      resolve(
        verdict ?? (canceled ? { status, by: interrupted ? 'merchant' : result.by } : { status: 'unknown' }),
      );
      returnFocus();
    };

    const fail = (error: unknown) => {
      if (over || verdict) return finish();
      const told = failure(error, url);
      report({ type: 'error', detail: { code: told.code } });
      end();
      reject(told);
      returnFocus();
    };

    const returnFocus = () => {
      if (container || !focused?.isConnected) return;
      const { activeElement, body } = document;
      if (!activeElement || activeElement === body) (focused as HTMLElement).focus?.();
    };

    const interrupt = () => {
      const closing = (async () => handle?.close?.())();
      interrupted = true;
      const giveUp = () => finish();
      if (inFlight) giveUp();
      else setTimeout(giveUp, CLOSE_MS);
      // Closed: how it ended is known by now, or never.
      void closing.catch(() => {}).then(() => setTimeout(giveUp));
    };

    // Out of the back-forward cache: what was open has been away and may be over.
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) interrupt();
    };

    flows.add(me);
    globalThis.addEventListener?.('pageshow', onPageShow);
    try {
      handle = adapter(service, { flow, url, emit, ...(container && { container }) });
      me.concurrent = handle.concurrent === true;
      report({ type: 'opened' });
      signal?.addEventListener('abort', interrupt);
      if (signal?.aborted) interrupt();
      Promise.resolve(handle.done)
        .then((result) => finish(resultOf(result)), fail)
        .finally(() => flows.delete(me));
    } catch (error) {
      fail(error);
      flows.delete(me);
    }
  });
}
