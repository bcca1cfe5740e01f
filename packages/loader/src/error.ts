import { attempt } from './attempt.js';

/** Why a load or a flow was refused or failed. `session_failed`: the page's own backend did not return a session. */
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

/** Codes of calls that may succeed later unchanged. */
const RETRYABLE: readonly unknown[] = ['offline', 'network_error', 'timeout'] satisfies LoaderErrorCode[];

const SDK_CODES: readonly unknown[] = [
  'environment_mismatch',
  'unknown_session_url',
  'csp_blocked',
  'flow_in_progress',
  'flow_failed',
] satisfies LoaderErrorCode[];

/** Whether an SDK's own code means the same as ours. */
export const isSdkCode = (value: unknown): value is LoaderErrorCode =>
  SDK_CODES.includes(value) || RETRYABLE.includes(value);

const DOCS = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors/';

/** Adds the URL of the code's documentation, unless the message has it. */
export const withDocs = (message: string, anchor: string): string =>
  message.includes(DOCS) ? message : `${message} ${DOCS}${anchor}`;

const BRAND = Symbol.for('embedded-sessions.error');

/**
 * The only kind of error that this package throws or rejects with. `message` says what to do next. Never contains more of
 * a session URL than its origin.
 *
 * @example
 * try {
 *   await loader.load();
 * } catch (error) {
 *   if (isLoaderError(error) && error.retryable) showRetryButton();
 * }
 */
export class LoaderError extends Error {
  // A field, because an assignment throws if the page has frozen Error.prototype.
  override readonly name = 'LoaderError';
  /** Identifies the failure. */
  declare readonly code: LoaderErrorCode;
  /** Whether the same call may succeed later unchanged, for example after a network failure. */
  declare readonly retryable: boolean;
  /** More about the error, such as `{ expected, found }` of `environment_mismatch`. */
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: LoaderErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(withDocs(message, `loader.md#${code}`), cause ? { cause } : undefined);
    // The symbol is registered, so that two copies of the package recognize each other's errors.
    Object.assign(this, {
      code,
      retryable: RETRYABLE.includes(code),
      details,
      [BRAND]: true,
    });
  }
}

/**
 * Whether a caught value is a {@link LoaderError}, from this or another copy of the package.
 *
 * @example
 * loader.load().catch((error: unknown) => {
 *   if (isLoaderError(error)) report(error.code);
 * });
 */
export function isLoaderError(value: unknown): value is LoaderError {
  return !!attempt(() => BRAND in Object(value));
}

export const invalid = (message: string): LoaderError => new LoaderError('invalid_options', message);

export const mismatch = (expected: string, found: string, what: string): LoaderError =>
  new LoaderError(
    'environment_mismatch',
    `This loader is for ${expected}, but ${what} is for ${found}: use one environment.`,
    { expected, found },
  );

export const aborted = (signal: AbortSignal): LoaderError =>
  new LoaderError('aborted', 'Aborted by signal.', {}, signal.reason);

/** Throws if `signal` is aborted or not a signal. Callers easily pass its controller by mistake. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
  if (signal && !signal.addEventListener) throw invalid('signal must be an AbortSignal.');
}

/** Writes a message for the page's developer to the console. */
export const logProblem = (message: string): void => console.error(`embedded-sessions: ${message}`);

/**
 * Runs `work` for a public method. The promise rejects only with a {@link LoaderError}, whatever was thrown. Callers may
 * ignore the promise, for example at module level: then the error is logged in a browser, and doesn't end a server
 * process.
 */
export function guarded<T>(work: () => Promise<T>): Promise<T> {
  const promise = work().catch((error: unknown) => {
    throw isLoaderError(error) ? error : invalid('Cannot read an option or session.');
  });
  const then = promise.then.bind(promise);
  let isAwaited = false;

  void then(undefined, ({ code, message }: LoaderError) =>
    setTimeout(() => {
      if (!isAwaited && globalThis.document && code !== 'aborted') logProblem(message);
    }),
  );
  return Object.defineProperties(promise, {
    // oxlint-disable-next-line unicorn/no-thenable -- detects that a caller awaits the promise
    then: {
      value: (...handlers: Parameters<typeof then>) => {
        isAwaited = true;
        return then(...handlers);
      },
    },
    // `await` calls `then` only on promises whose constructor isn't the built-in one. We can't subclass: a page may
    // have replaced `Promise`, for example with Bluebird's.
    constructor: { value: undefined },
  });
}

/** Rejects when `signal` is aborted. Leaves no listener on it. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted(signal!));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort));
  });
}
