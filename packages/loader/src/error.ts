/** Why a load or a flow was refused or failed. */
export type LoaderErrorCode =
  | 'invalid_options'
  | 'options_conflict'
  | 'environment_mismatch'
  | 'unknown_session_url'
  | 'csp_blocked'
  | 'offline'
  | 'network_error'
  | 'timeout'
  | 'service_missing'
  | 'aborted'
  | 'not_in_browser'
  | 'flow_in_progress'
  | 'flow_failed';

const BRAND = Symbol.for('embedded-sessions.error');

/**
 * The only kind of error that this package throws or rejects with. `message` says what to do next; of a session's
 * URL an error carries the origin at most.
 *
 * @example
 * try {
 *   await loader.load();
 * } catch (error) {
 *   if (isLoaderError(error) && error.retryable) showRetryButton();
 * }
 */
export class LoaderError extends Error {
  override readonly name = 'LoaderError';
  /** Whether the same call may succeed later with nothing changed: a network that is away, a slow server. */
  readonly retryable: boolean;

  constructor(
    readonly code: LoaderErrorCode,
    message: string,
    /** Facts about the refusal, such as `{ expected, found }` of `environment_mismatch`. */
    readonly details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.retryable = code === 'offline' || code === 'network_error' || code === 'timeout';
    // By a registered symbol and not by class: two copies of the package on one page still agree.
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether a caught value is a {@link LoaderError}, of this copy of the package or of another.
 *
 * @example
 * loader.load().catch((error: unknown) => {
 *   if (isLoaderError(error)) report(error.code);
 * });
 */
export function isLoaderError(value: unknown): value is LoaderError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

export const aborted = (signal: AbortSignal | undefined): LoaderError =>
  new LoaderError('aborted', 'The signal was aborted: nothing was opened.', {}, signal?.reason);

/** A caller may drop the promise, as at module level: its rejection must not end a server's process. */
export function quiet<T>(work: () => Promise<T>): Promise<T> {
  const promise = work();
  promise.catch(() => {});
  return promise;
}
