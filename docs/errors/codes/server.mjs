/**
 * @import { ErrorKind } from '@embedded-sessions/server'
 * @import { Page } from './page.d.ts'
 */

/** @type {Page<ErrorKind>} */
export const SERVER = {
  validation: {
    meaning:
      'The service, or the check before anything is sent, refused the request. `errors` names every problem with its field.',
    retryable: 'no',
    todo: "Correct the fields in `errors`; the service's own codes are [explained here](service.md).",
  },
  referenceConflict: {
    meaning:
      'The `ClientReference` is taken. `ambiguous` is `true` where an earlier attempt of this very call may be what took it.',
    retryable: 'no',
    todo: 'Where `ambiguous`, look the reference up before you use another one: the first attempt may have made the session. Otherwise choose another reference. An `idempotencyKey` of your own avoids the doubt.',
  },
  authentication: {
    meaning: 'The API key is missing, unknown or revoked (401).',
    retryable: 'no',
    todo: 'Compare the key with the environment of `baseUrl`: each has keys of its own. Ask the operator for a new one if it was revoked.',
  },
  permission: {
    meaning:
      'The key is good, and the business unit is not one of its own (403); or the request looked as if a browser had sent it.',
    retryable: 'no',
    todo: 'Check `BusinessUnitSlug`. Send requests from the backend only, without `Origin` headers passed on.',
  },
  rateLimit: {
    meaning:
      'Too many requests for this key, and no time left within `totalTimeoutMs` to wait as `Retry-After` says (429).',
    retryable: 'yes',
    todo: 'Try again later, or spread the load.',
  },
  connection: {
    meaning: 'No connection, or one that broke: refused, reset, DNS, TLS, an answer that was cut short.',
    retryable: 'yes',
    todo: 'Calling again with the same `idempotencyKey` is safe. `attempts` says whether any attempt may have arrived. A certificate that is not trusted is in `cause`.',
  },
  timeout: {
    meaning:
      'An attempt took longer than `timeoutMs`, or all of them longer than `totalTimeoutMs`; or the service answered 408.',
    retryable: 'yes',
    todo: 'Calling again with the same `idempotencyKey` is safe: the first call may have been carried out.',
  },
  aborted: {
    meaning: 'Your `signal` was aborted.',
    retryable: 'no',
    todo: 'Nothing. The request may have been carried out all the same.',
  },
  server: {
    meaning:
      'The service answered 5xx with an envelope, or a session is still being made by an earlier attempt, in every attempt that was made.',
    retryable: 'yes',
    todo: 'Try again later with the same `idempotencyKey`; tell the operator the `requestId`.',
  },
  protocol: {
    meaning:
      "The answer is not the contract's: an HTML page, a redirect, no JSON, no session URL, too large.",
    retryable: 'depends',
    todo: 'Check `baseUrl`: a proxy or a login page is answering. Where the status is 5xx it has been tried again already. For an operator whose answers differ there is `readSession`.',
  },
  signature: {
    meaning: 'A webhook that the service did not sign, or that is more than five minutes old.',
    retryable: 'no',
    todo: 'Answer 400. If it should be good: verify the body as it came, before any JSON parser; compare the secret; compare the clock.',
  },
  configuration: {
    meaning:
      'Options that cannot work: no environment, a `baseUrl` of another one, no key, a key in a browser, a function of yours that threw.',
    retryable: 'no',
    todo: 'Correct what the message names; what your own function threw is the `cause`.',
  },
};
