/**
 * @import { LoaderErrorCode } from '@embedded-sessions/loader'
 * @import { Page } from './page.d.ts'
 */

/** @type {Page<LoaderErrorCode>} */
export const LOADER = {
  invalid_options: {
    meaning:
      'An option cannot work: an address that is no `https:` URL (`http:` on loopback), an environment that is neither given nor found in `loaderUrls`, a number out of range, a `container` that is no element. The message names it.',
    retryable: 'no',
    todo: 'Correct the option that the message names. Where the container comes from a selector, look whether the element is on the page yet.',
  },
  options_conflict: {
    meaning:
      'An earlier call on this page loads with another loader URL, `sessionPrefixes` or `globalName`. A page has one SDK.',
    retryable: 'no',
    todo: 'Create one loader at module level and import it everywhere. `details.field` names the option that differs.',
  },
  environment_mismatch: {
    meaning:
      'Staging and production were mixed: in the options, by a script or a global that is on the page already, or by a session of the other environment. Nothing was opened.',
    retryable: 'no',
    todo: '`details.expected` is what the loader was made for, `details.found` what it met. A session of the other environment comes from your backend: compare its API key and base URL with the loader URL of the page.',
  },
  unknown_session_url: {
    meaning: 'The session URL lies neither under the base of the loader nor under a session prefix.',
    retryable: 'no',
    todo: 'If the session is really of this environment, add the beginning of its URL to `sessionPrefixes`. If not, your backend talks to another service than the page.',
  },
  csp_blocked: {
    meaning:
      "The page's Content-Security-Policy or its Trusted Types policy keeps the SDK's script or the session's frame out.",
    retryable: 'no',
    todo: 'Add what the message names: the host to `script-src` (or a nonce to your own scripts), the session host to `frame-src`, `embedded-sessions` to `trusted-types`. Browsers say `script-src-elem`: a policy without it falls back to its `script-src`, and without that to its `default-src`; add to the one that yours has, since a new directive takes its place.',
  },
  offline: {
    meaning: 'The browser says that it has no network, and the script did not load.',
    retryable: 'yes',
    todo: 'Show a button to try again; the next call starts afresh. Nothing was opened and nobody was charged.',
  },
  network_error: {
    meaning:
      "The SDK's script did not load in all its attempts: a 4xx or 5xx, a broken connection, an extension that blocks it, an `integrity` that does not match.",
    retryable: 'yes',
    todo: 'Offer another try. If it stays, open the loader URL in a tab; where that works, look for a blocking extension.',
  },
  timeout: {
    meaning: 'The script did not load within `timeoutMs`, all attempts together.',
    retryable: 'yes',
    todo: 'Offer another try: it does not wait for the dead request. For slow networks raise `timeoutMs`.',
  },
  service_missing: {
    meaning: 'The script ran, and the global that the SDK should define is not there.',
    retryable: 'no',
    todo: 'Check that the loader URL answers the SDK and not a login page or an error page with status 200, and give `globalName` where the operator named its global otherwise.',
  },
  aborted: {
    meaning:
      'The `signal` that was handed in was aborted. Only its own caller is told; a shared load goes on.',
    retryable: 'no',
    todo: 'Nothing: it is what your own code asked for.',
  },
  not_in_browser: {
    meaning: '`load` or `loadService` was called where there is no document, as on a server.',
    retryable: 'no',
    todo: 'Call it in an effect or an event handler. `createLoader`, `preload` and `environmentOf` work anywhere.',
  },
  flow_in_progress: {
    meaning: 'A modal is open, or this container holds a flow. There is one at a time.',
    retryable: 'no',
    todo: 'Disable the button while a flow is open. The first flow goes on untouched.',
  },
  flow_failed: {
    meaning:
      'The flow opened and broke: the SDK threw or lacks the method, or its frame did not come: `details.reason` is `origin_not_allowed` where the business unit does not allow the page, `other_flow` where the session was created for another flow than was to be opened (`other` in the message is any of the six that `startFlow` opens), `frame_unreachable` where the service does not answer, or the page is in a sandboxed frame without `allow-same-origin`.',
    retryable: 'no',
    todo: "For `origin_not_allowed` have the operator add the origin that the message names to the business unit's `allowedOrigins`; for `other_flow` have your backend create a session for the flow that the page opens; for another look at `cause`. Ask your backend what became of the session before you offer another payment.",
  },
  session_failed: {
    meaning:
      "A button of the script tag asked the page's own backend for a session and was refused: `details.status` is the answer's, a 4xx such as 401, 403, 409 or 422.",
    retryable: 'no',
    todo: 'Look at what your backend answered: the payer may have to log in again, or the bill is paid already. A 5xx, or no answer at all, is `network_error` instead and may be tried again.',
  },
};
