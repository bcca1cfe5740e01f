import type { Environment, SessionRef } from './environment.js';
import type { FlowEvent, FlowResult } from './sdk.js';

/** Where and how a flow opens. */
export interface FlowOptions {
  /** Opens inline in this element; without it, in a modal. */
  container?: Element;
  /** Aborted: the flow is asked to close. While a payment is in flight the result is `unknown`, never `canceled`. */
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
   * Rejects with a {@link LoaderError}: `environment_mismatch` and `unknown_session_url` before anything opens,
   * `flow_in_progress` when a modal is open already, `aborted` when the signal was aborted before, `flow_failed`
   * when the SDK failed.
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
