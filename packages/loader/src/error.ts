import { attempt } from './attempt.js';

/** Why a load or a flow was refused or failed. `session_failed`: the page's own backend refused to give a session. */
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
  | 'flow_failed'
  | 'session_failed';

/** Whether the same call may succeed later with nothing changed. */
const RETRYABLE: Record<LoaderErrorCode, boolean> = {
  invalid_options: false,
  options_conflict: false,
  environment_mismatch: false,
  unknown_session_url: false,
  csp_blocked: false,
  offline: true,
  network_error: true,
  timeout: true,
  service_missing: false,
  aborted: false,
  not_in_browser: false,
  flow_in_progress: false,
  flow_failed: false,
  session_failed: false,
};

export const isCode = (value: unknown): value is LoaderErrorCode =>
  typeof value === 'string' && Object.hasOwn(RETRYABLE, value);

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
    const address = PAGE + code;
    super(message.includes(address) ? message : `${message} ${address}`, cause ? { cause } : undefined);
    // A registered symbol and not the class: two copies of the package on one page still agree.
    Object.assign(this, { name: 'LoaderError', code, retryable: RETRYABLE[code], details, [BRAND]: true });
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
  return attempt(() => BRAND in Object(value)) ?? false;
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

/** Where a payer reads that it failed, whoever made the page reads on its console why. */
export const tellMaker = (message: string): void => console.error(`embedded-sessions: ${message}`);

/** Knows whether anybody waits for it: `await`, `catch` and `Promise.all` all call `then`. */
class Answer<T> extends Promise<T> {
  isAwaited = false;

  // oxlint-disable-next-line unicorn/no-thenable -- a promise
  override then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onValue, onError);
  }
}

/**
 * The promise of every door. It rejects with a {@link LoaderError} only, whatever was thrown. A caller may drop it, as
 * at module level: that must not end a server's process, and in a page the refusal is told on the console.
 */
export function quiet<T>(work: () => Promise<T>): Promise<T> {
  const answer = new Answer<T>((resolve) =>
    resolve(
      work().catch((error: unknown) => {
        throw isLoaderError(error) ? error : invalid('An option or a session cannot be read.');
      }),
    ),
  );
  // Past its own `then`: this is nobody who waits.
  void Promise.prototype.then.call(answer, undefined, ({ code, message }: LoaderError) =>
    setTimeout(() => {
      if (!answer.isAwaited && globalThis.document && code !== 'aborted') tellMaker(message);
    }),
  );
  return answer;
}
