/** Interprets failures without a response, as pure functions. */
import type { Redact, Refusal } from './response.js';
import { isServiceError } from './error.js';

/** Failures before any byte of the request was sent. */
const NO_CONNECTION = /REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT|ConnectionRefused|FailedToOpen/;
/** The URL is valid, so a `fetch` that reports it as invalid doesn't support our `Request`. */
const NO_REQUEST = /Invalid URL|absolute URL/;
/** Certificate errors, which a retry can't fix. */
const BAD_CERTIFICATE = /CERT|TLS|SIGNED|UNABLE_TO_/;

type Thrown = { name?: unknown; message: string; code?: unknown; cause?: unknown };
/** Avoids `instanceof Error`, because in some test runners `fetch` throws errors from another realm. */
const isThrown = (value: unknown): value is Thrown =>
  typeof (value as Partial<Thrown> | null | undefined)?.message === 'string';

type Copy = Error & { code?: string; cause?: Copy };
/** Copies only name, message, code and cause. A custom `fetch` may attach the request with the key to its error. */
const safeCopy = (error: unknown, redact: Redact, depth = 4): Copy | undefined => {
  if (!isThrown(error) || depth === 0) return undefined;

  const cause = safeCopy(error.cause, redact, depth - 1);
  return Object.assign(
    new Error(redact(error.message), cause && { cause }) as Copy,
    typeof error.name === 'string' && { name: redact(error.name) },
    typeof error.code === 'string' && { code: redact(error.code) },
  );
};

/**
 * Interprets an error.
 *
 * @param isSent whether the request had reached the transport
 * @param isAttemptOver whether the attempt ran out of time, but the call has time left
 */
export function readFault(error: unknown, isSent: boolean, redact: Redact, isAttemptOver: boolean): Refusal {
  // An error of this package, such as a timeout.
  if (isServiceError(error))
    return {
      kind: error.kind,
      message: error.message,
      retry: isAttemptOver,
      mayHaveArrived: isSent,
      cause: error.cause,
    };

  const cause = safeCopy(error, redact);
  const { message = 'reason unknown', code = '' } = cause?.cause ?? cause ?? {};
  const isIncompatible = NO_REQUEST.test(message);
  const isLasting = isIncompatible || BAD_CERTIFICATE.test(code);

  return {
    kind: isIncompatible ? 'configuration' : 'connection',
    message: isIncompatible
      ? 'Your fetch refuses our Request: pass it request.url and the other parts.'
      : `The connection failed: ${message} ${code}`.trim(),
    retry: !isLasting,
    mayHaveArrived: isSent && !isLasting && !NO_CONNECTION.test(code),
    details: { code },
    cause,
  };
}
