import type { LoaderErrorCode } from '@embedded-sessions/loader';
import { withDocs } from '@embedded-sessions/loader/internal';

/**
 * Why a flow failed: a code of the loader, or `session_failed` (the session source threw, rejected or did not settle within 30
 * s), `session_invalid` (it returned no session), `no_loader` (neither provider nor `loader` option).
 */
export type EmbeddedPaymentErrorCode = LoaderErrorCode | 'session_failed' | 'session_invalid' | 'no_loader';

/**
 * The only error of this package. Returned, never thrown: as `error` of a hook, in `result` if `status` is `failed`, and
 * to `onError` and `renderError` of `<EmbeddedFlow>`. Contains at most the origin of a session URL.
 *
 * @example
 * const { pay, error } = useEmbeddedPayment({ session });
 * if (error?.code === 'session_failed') console.warn(error.message, error.cause);
 */
export class EmbeddedPaymentError extends Error {
  // A field, because an assignment throws if the page has frozen Error.prototype.
  override readonly name = 'EmbeddedPaymentError';
  /** Identifies the failure; `message` says what to do next. */
  declare readonly code: EmbeddedPaymentErrorCode;
  /** Whether the same attempt may succeed later unchanged, for example after a lost connection. */
  declare readonly retryable: boolean;
  /** Details about the error, such as `{ expected, found }` for an environment mismatch. */
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: EmbeddedPaymentErrorCode,
    message: string,
    cause?: unknown,
    retryable = false,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(withDocs(message, `react.md#${code}`), { cause });
    Object.assign(this, { code, retryable, details });
  }
}
