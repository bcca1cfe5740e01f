/** What a failure without an answer means: pure decisions about what the transport threw. */
import type { Redact, Refusal } from './answer.js';
import { isServiceError } from './error.js';

/** Failures of which it is sure that no byte of the request left. */
const NO_CONNECTION = /REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT|ConnectionRefused|FailedToOpen/;
/** Ours is a URL: a `fetch` that finds none has taken the `Request` for something else. */
const NO_REQUEST = /Invalid URL|absolute URL/;
/** A certificate does not get better by asking again. */
const BAD_CERTIFICATE = /CERT|TLS|SIGNED|UNABLE_TO_/;

type Thrown = { name?: unknown; message: string; code?: unknown; cause?: unknown };
/** Not `instanceof Error`: where tests run in a context of their own, `fetch` throws errors of another one. */
const isThrown = (value: unknown): value is Thrown =>
  typeof (value as Partial<Thrown> | null | undefined)?.message === 'string';

type Copy = Error & { code?: string; cause?: Copy };
/** Name, message, code and cause alone: a foreign `fetch` may hang the whole request, key included, on its error. */
const copyOf = (error: unknown, redact: Redact, depth = 4): Copy | undefined => {
  if (!isThrown(error) || depth === 0) return undefined;
  const cause = copyOf(error.cause, redact, depth - 1);
  return Object.assign(
    new Error(redact(error.message), cause && { cause }) as Copy,
    typeof error.name === 'string' && { name: redact(error.name) },
    typeof error.code === 'string' && { code: redact(error.code) },
  );
};

/**
 * Decides what a thrown failure means; `sent` says whether the request had been handed to `fetch`, `stopped` that it had as
 * long as one attempt has.
 */
export function readFault(error: unknown, sent: boolean, redact: Redact, stopped: boolean): Refusal {
  // What this package itself found out.
  if (isServiceError(error))
    return {
      kind: error.kind,
      message: error.message,
      retry: stopped,
      mayHaveArrived: sent,
      cause: error.cause,
    };
  const cause = copyOf(error, redact);
  const { message = '', code = '' } = cause?.cause ?? cause ?? {};
  const misfit = NO_REQUEST.test(message);
  const lasting = misfit || BAD_CERTIFICATE.test(code);
  return {
    kind: misfit ? 'configuration' : 'connection',
    message: misfit
      ? 'fetch takes no Request of this platform: give it request.url and the rest.'
      : `The connection failed: ${message} ${code}`.trim(),
    retry: !lasting,
    mayHaveArrived: sent && !lasting && !NO_CONNECTION.test(code),
    details: { code },
    cause,
  };
}
