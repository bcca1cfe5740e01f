/** What a failure without an answer means: pure decisions about what the transport threw. */
import type { Refusal } from './answer.js';
import { Stopped } from './deadline.js';

/** Failures of which it is sure that no byte of the request left. */
const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** A certificate does not get better by asking again. */
const BAD_CERTIFICATE = /^(CERT_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;

type Thrown = { name: string; message: string; code?: unknown; cause?: unknown };
/** Not `instanceof Error`: where tests run in a context of their own, `fetch` throws errors of another one. */
const isThrown = (value: unknown): value is Thrown =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Thrown>).message === 'string';

/** The platform's errors from the outside in, at most four. */
const chainOf = (error: unknown): Thrown[] => {
  const chain: Thrown[] = [];
  for (let at = error; isThrown(at) && chain.length < 4; at = at.cause) chain.push(at);
  return chain;
};

const codeOf = ({ code }: Thrown): string | undefined => (typeof code === 'string' ? code : undefined);

/** A copy of name, message and code: a foreign `fetch` may hang the whole request, key included, on its error. */
const copyOf = (chain: readonly Thrown[], redact: (text: string) => string): Error | undefined =>
  chain.reduceRight<Error | undefined>((cause, error) => {
    const copy = new Error(redact(error.message), cause === undefined ? {} : { cause });
    copy.name = redact(error.name);
    const code = codeOf(error);
    return code === undefined ? copy : Object.assign(copy, { code: redact(code) });
  }, undefined);

const stopped = ({ stop }: Stopped, mayHaveArrived: boolean): Refusal => {
  const base = { ok: false, errors: [], mayHaveArrived } as const;
  if (stop.by === 'caller')
    return {
      ...base,
      kind: 'aborted',
      message: 'The request was aborted by its signal.',
      retry: false,
      details: {},
      cause: stop.reason,
    };
  const option = stop.by === 'attempt' ? 'timeoutMs' : 'totalTimeoutMs';
  return {
    ...base,
    kind: 'timeout',
    message: `The service did not answer in time (${option}).`,
    retry: stop.by === 'attempt',
    details: { limit: option },
  };
};

/** Decides what a thrown failure means; `sent` says whether the request had been handed to `fetch`. */
export function readFault(error: unknown, sent: boolean, redact: (text: string) => string): Refusal {
  if (error instanceof Stopped) return stopped(error, sent);
  const chain = chainOf(error);
  const code = chain.reduce<string | undefined>((code, error) => codeOf(error) ?? code, undefined);
  const told = redact(chain.at(-1)?.message ?? String(error));
  const badCertificate = code !== undefined && BAD_CERTIFICATE.test(code);
  const cause = copyOf(chain, redact);
  return {
    ok: false,
    kind: 'connection',
    message: badCertificate
      ? `The service's certificate was not accepted: ${told} (${code}). Check baseUrl and the trusted authorities.`
      : `The connection to the service failed: ${told}${code === undefined ? '' : ` (${redact(code)})`}.`,
    errors: [],
    retry: !badCertificate,
    mayHaveArrived: sent && !badCertificate && !(code !== undefined && NO_CONNECTION.test(code)),
    details: code === undefined ? {} : { code: redact(code) },
    ...(cause === undefined ? {} : { cause }),
  };
}
