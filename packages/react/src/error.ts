import type { LoaderErrorCode } from '@embedded-sessions/loader';

/**
 * Why a flow failed: a code of the loader, or `session_failed` (the session source threw, rejected or did not settle
 * within 30 s), `session_invalid` (it returned no session), `no_loader` (neither provider nor `loader` option).
 */
export type EmbeddedPaymentErrorCode = LoaderErrorCode | 'session_failed' | 'session_invalid' | 'no_loader';

/** The parts of an {@link EmbeddedPaymentError}. */
export type EmbeddedPaymentFailure = Pick<EmbeddedPaymentError, 'code' | 'message'> &
  Partial<Pick<EmbeddedPaymentError, 'retryable' | 'details'>>;

/** Documentation of the codes: those below are on this package's page, the others on the loader's. */
const PAGES = 'https://github.com/embedded-sessions/embedded-sessions/blob/main/docs/errors/';
const OWN: Record<Exclude<EmbeddedPaymentErrorCode, LoaderErrorCode> | 'session_failed', 1> = {
  session_failed: 1,
  session_invalid: 1,
  no_loader: 1,
};

/**
 * The only error of this package. It is passed on, never thrown: as `error` of a hook, in `result` where `status`
 * is `failed`, and to `onError` and `renderError` of `<EmbeddedFlow>`. No session URL is in it beyond its origin.
 *
 * @example
 * const { pay, error } = useEmbeddedPayment({ session });
 * if (error?.code === 'session_failed') console.warn(error.message, error.cause);
 */
export class EmbeddedPaymentError extends Error {
  declare readonly name: 'EmbeddedPaymentError';
  /** What happened, for code; `message` says what to do next. */
  declare readonly code: EmbeddedPaymentErrorCode;
  /** Whether the same attempt may work later with nothing changed, as after a lost connection. */
  declare readonly retryable: boolean;
  /** Facts in addition to the code, such as `{ expected, found }` of an environment mismatch. */
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor({ code, message, retryable = false, details = {} }: EmbeddedPaymentFailure, cause?: unknown) {
    // Errors of the loader have their URL already.
    super(
      message.includes(PAGES) ? message : `${message} ${PAGES}${code in OWN ? 'react' : 'loader'}.md#${code}`,
      { cause },
    );
    Object.assign(this, { name: 'EmbeddedPaymentError', code, retryable, details });
  }
}
