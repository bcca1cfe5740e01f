/**
 * @import { ErrorKind } from '@embedded-sessions/server'
 * @import { Page } from './page.d.ts'
 */

/** @type {Page<ErrorKind>} */
export const SERVER = {
  validation: {
    meaning:
      'The service, or the check before sending, refused the request. `errors` lists every problem with its field.',
    retryable: 'no',
    todo: "Correct the fields in `errors`. The service's codes are [explained here](service.md).",
  },
  referenceConflict: {
    meaning:
      'The `ClientReference` is taken. `ambiguous` is `true` if an earlier attempt of this call may have used it.',
    retryable: 'no',
    todo: 'If `ambiguous`, query the session before you use another reference, because the first attempt may have created it. Otherwise choose another reference. Your own `idempotencyKey` avoids this problem.',
  },
  authentication: {
    meaning: 'The API key is missing, unknown or revoked (401).',
    retryable: 'no',
    todo: 'Compare the key with the environment of `baseUrl`: each has its own keys. Ask the operator for a new one if it was revoked.',
  },
  permission: {
    meaning:
      "The key is valid but can't use this business unit (403), or the request looked like one from a browser.",
    retryable: 'no',
    todo: 'Check `BusinessUnitSlug`. Send requests only from the backend, without passing on `Origin`.',
  },
  rateLimit: {
    meaning: 'Too many requests for this key (429), and `Retry-After` exceeds the rest of `totalTimeoutMs`.',
    retryable: 'yes',
    todo: 'Try again later, or spread the load.',
  },
  connection: {
    meaning: 'The connection failed or broke: refused, reset, DNS, TLS, or a truncated response.',
    retryable: 'yes',
    todo: 'It is safe to call again with the same `idempotencyKey`. `attempts` says whether one may have arrived. For an untrusted certificate, see `cause`.',
  },
  timeout: {
    meaning:
      'One attempt exceeded `timeoutMs`, all of them exceeded `totalTimeoutMs`, or the service returned 408.',
    retryable: 'yes',
    todo: 'It is safe to call again with the same `idempotencyKey`: the first call may have taken effect.',
  },
  aborted: {
    meaning: 'Your `signal` was aborted.',
    retryable: 'no',
    todo: 'Nothing. The request may still have taken effect.',
  },
  server: {
    meaning: 'Every attempt got a 5xx with an envelope, or an earlier attempt is still creating the session.',
    retryable: 'yes',
    todo: 'Try again later with the same `idempotencyKey`. Give the operator the `requestId`.',
  },
  protocol: {
    meaning:
      "The response doesn't follow the contract: an HTML page, a redirect, no JSON, no session URL, or too large.",
    retryable: 'depends',
    todo: 'Check `baseUrl`: a proxy or login page may be responding. A 5xx has already been retried. Use `readSession` for an operator with different responses.',
  },
  signature: {
    meaning: "The webhook isn't signed by the service, or is more than five minutes old.",
    retryable: 'no',
    todo: 'Respond 400. If it should be valid: verify the raw body, before any JSON parser, and check the secret and the clock.',
  },
  configuration: {
    meaning:
      'The options are invalid: no environment, a `baseUrl` of another environment, no key, use in a browser, or one of your functions threw.',
    retryable: 'no',
    todo: 'Correct the option that the message names. If your own function threw, its error is the `cause`.',
  },
};
