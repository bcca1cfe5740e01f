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

/** Each code has an address there. */
const PAGE = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors/loader.md#';
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
  /** Which refusal or failure this is. */
  declare readonly code: LoaderErrorCode;
  /** Whether the same call may succeed later with nothing changed: a network that is away, a slow server. */
  declare readonly retryable: boolean;
  /** Facts about it, such as `{ expected, found }` of `environment_mismatch`. */
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: LoaderErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(`${message} ${PAGE}${code}`, cause ? { cause } : undefined);
    // A registered symbol and not the class: two copies of the package on one page still agree.
    const retryable = /offline|network|timeout/.test(code);
    Object.assign(this, { name: 'LoaderError', code, retryable, details, [BRAND]: true });
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
  return BRAND in Object(value);
}

export const invalid = (message: string): LoaderError => new LoaderError('invalid_options', message);

export const mismatch = (expected: string, found: string, what: string): LoaderError =>
  new LoaderError(
    'environment_mismatch',
    `This loader is of ${expected}, ${what} of ${found}: use one environment.`,
    { expected, found },
  );

export const aborted = (signal: AbortSignal): LoaderError =>
  new LoaderError('aborted', 'Aborted by signal.', {}, signal.reason);

/** Throws where a signal is aborted already, or is none: its controller is easily handed over in its place. */
export function heed(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
  if (signal && !signal.addEventListener) throw invalid('signal must be an AbortSignal.');
}

/** A caller may drop the promise, as at module level: its rejection must not end a server's process. */
export function quiet<T>(work: () => Promise<T>): Promise<T> {
  const promise = work();
  promise.catch(() => {});
  return promise;
}
