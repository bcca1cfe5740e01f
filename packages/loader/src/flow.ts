import { own, type Environment, type SessionRef } from './environment.js';
import { heed, invalid, isCode, LoaderError, quiet } from './error.js';
import { redactor } from './redact.js';
import { LOOK_MS, pause, tell, type OpenFlow } from './registry.js';
import {
  isResult,
  MEANING,
  type AdapterHandle,
  type Flow,
  type FlowEvent,
  type FlowResult,
  type ServiceAdapter,
  type Wishes,
} from './sdk.js';

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
export interface FlowOptions extends Wishes {
  /** Opens inline in this element; without it, in a modal. */
  container?: Element | undefined;
  /**
   * Aborted: the flow is asked to close. While a payment is in flight the result is `unknown`, never `canceled`.
   * After the verdict of an inline flow it closes what is still shown.
   */
  signal?: AbortSignal | undefined;
  /**
   * The page can get a new session. A modal whose session has expired then offers to start again, where the SDK knows
   * how; to a payer who does, open the new session when this one resolves with `{ status: 'expired', renew: true }`.
   */
  canRenew?: boolean | undefined;
  /**
   * What the session was created for. One of another flow is refused with `flow_failed` before its payer can act, where the
   * SDK can tell; ours can, and without this it tells a payment from the other six.
   */
  expectedFlow?: Flow | undefined;
  /** Told what happens while the flow is open. */
  onEvent?: ((event: FlowEvent) => void) | undefined;
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

/** How long a flow that was told to close may take to say how it ended. */
const CLOSE_MS = 3_000;
/** How long the next flow waits for one that has ended to be off the page. */
const LEAVING_MS = 1_000;

/** Why the flow failed, from an SDK's error without its secrets, in the SDK's own words as far as it has any. */
function failureOf(error: unknown, isInFlight: boolean): LoaderError {
  const { code, message, details } = Object(error);
  const words = [message, error, ...Object.values(Object(error))].find(
    (each) => each && typeof each === 'string',
  );
  // Of a payment in flight nothing may be tried again.
  const isKnown = isCode(code) && !isInFlight;
  return new LoaderError(
    isKnown ? code : 'flow_failed',
    isKnown && words ? words : `The SDK failed: ${words ?? 'it gave no reason'}`,
    { ...details },
    message ? Object.assign(new Error(), error) : error,
  );
}

/** The SDK as promises. `urlOf` refuses a session that must not be opened, and gives the URL of one that may. */
export function embed(
  environment: Environment,
  service: object,
  adapter: ServiceAdapter,
  flows: Set<OpenFlow>,
  urlOf: (session: SessionRef) => string,
  defaults: Wishes = {},
): EmbeddedService {
  const door = (flow: 'payment' | 'other') => (session: SessionRef, options?: FlowOptions) =>
    quiet(async () => {
      const url = urlOf(session);
      const {
        container,
        signal,
        onEvent,
        locale = defaults.locale,
        appearance = defaults.appearance,
        canRenew,
        expectedFlow,
      } = own(options);
      // A selector that found nothing must not open a modal instead.
      if (container !== undefined && !container?.getRootNode) throw invalid('container must be an element.');
      const blocker = () => {
        heed(signal);
        return [...flows].find((other) => !other.concurrent || other.container === container);
      };
      for (let waited = 0; blocker()?.isOver && waited < LEAVING_MS; waited += LOOK_MS) await pause(LOOK_MS);
      if (blocker())
        throw new LoaderError('flow_in_progress', 'Another flow is open here: wait until it has closed.');

      const redact = redactor(url);
      const focused = globalThis.document?.activeElement as HTMLElement | undefined;
      let handle: AdapterHandle | undefined;
      let verdict: FlowResult | undefined;
      let by: 'merchant' | undefined;
      let inFlight = false;
      let over = false;
      let isWatched = false;

      return new Promise<FlowResult>((resolve, reject) => {
        const emit = (said: FlowEvent) => {
          // That it was said is known, even where what was said cannot be read.
          const { type, ...rest } = { type: said.type, ...Object(redact(said)) } as FlowEvent;
          // What the SDK says last may still be on its way.
          if (type === 'closed') {
            free();
            setTimeout(finish);
          }
          // A verdict latches; only that money moved outranks that time ran out.
          else if (!over && (!verdict || (verdict.status === 'expired' && type === 'completed'))) {
            if (type === 'completed') verdict = { status: type, detail: undefined, ...rest };
            if (type === 'expired') verdict = { status: type };
            inFlight = MEANING[type]?.isInFlight ?? inFlight;
            tell(onEvent, { type, ...rest } as FlowEvent);
            if (verdict && container) finish();
          }
        };

        const finish = (said?: unknown, error?: LoaderError) => {
          const result = isResult(said) ? said : ({ status: 'unknown' } as const);
          const { status, ...rest } = result;
          if (status === 'completed' || status === 'expired') emit({ type: status, ...rest } as FlowEvent);
          if (over) return;
          over = me.isOver = true;
          // After its verdict an inline flow still shows the receipt.
          if (container && verdict) free();
          else {
            signal?.removeEventListener('abort', me.interrupt);
            tell(onEvent, { type: 'closed' });
          }
          if (error && !verdict) reject(error);
          // The SDK's own word may say more of it than its event.
          else if (verdict) resolve(status === 'expired' && verdict.status === status ? result : verdict);
          else if (result.status === 'canceled' && !inFlight)
            resolve({ ...result, by: by ?? result.by ?? 'payer' });
          else resolve({ status: 'unknown' });
          if (!container && focused?.isConnected && document.activeElement === document.body) focused.focus();
        };

        const fail = (error: unknown) => {
          // Told to close, it may know no other way to say that it has.
          if (by) return finish();
          const failed = failureOf(redact(error), inFlight);
          emit({ type: 'error', detail: { code: failed.code } });
          finish(undefined, failed);
        };

        const free = () => flows.delete(me);
        const me: OpenFlow = {
          container,
          interrupt() {
            by = 'merchant';
            me.isOver = true;
            const giveUp = () => setTimeout(finish);
            if (inFlight) giveUp();
            setTimeout(finish, CLOSE_MS);
            const close = async () => {
              await handle?.close?.();
              // That it has closed is its last word, unless it can tell when it is gone.
              if (handle?.close && !handle.gone && !inFlight) free();
            };
            // Closed: how it ended is known by now, or never.
            void close().then(giveUp, giveUp);
          },
        };
        flows.add(me);
        const open = async () => {
          tell(onEvent, { type: 'opened' });
          // What was not given is not there: an SDK may ask `in`.
          const given = Object.entries({
            container,
            locale,
            appearance,
            canRenew,
            expectedFlow,
          }).filter(([, wish]) => wish);
          const call = { flow, url, emit, ...Object.fromEntries(given) };
          handle = adapter(service, call);
          const { done, gone = done, concurrent } = handle;
          me.concurrent = concurrent;
          signal?.addEventListener('abort', me.interrupt);
          if (signal?.aborted) me.interrupt();
          // Until then nothing else is opened, whatever became of the caller.
          void Promise.resolve(gone).then(free, free);
          isWatched = true;
          return done;
        };
        open().then(
          (said) => finish(isResult(said) ? { status: said.status, ...Object(redact(said)) } : undefined),
          (error: unknown) => {
            if (!isWatched) free();
            fail(error);
          },
        );
      });
    });
  return { environment, completePayment: door('payment'), startFlow: door('other') };
}
