/**
 * @import { LoaderErrorCode } from '@embedded-sessions/loader'
 * @import { Page } from './page.d.ts'
 */

/** @type {Page<LoaderErrorCode>} */
export const LOADER = {
  invalid_options: {
    meaning:
      "An option is invalid: a URL without `https:` (`http:` on loopback), an environment that is neither given nor found in `loaderUrls`, a number out of range, or a `container` that isn't an element. The message names it.",
    retryable: 'no',
    todo: 'Correct the option. If the container comes from a selector, check that the element is on the page already.',
  },
  options_conflict: {
    meaning:
      'An earlier call on this page used a different loader URL, `sessionPrefixes` or `globalName`. A page can have only one SDK.',
    retryable: 'no',
    todo: 'Create one loader at module level and import it everywhere. `details.field` names the option that differs.',
  },
  environment_mismatch: {
    meaning:
      'Staging and production were mixed: in the options, by a script or global on the page, or by a session of the other environment. No flow was opened.',
    retryable: 'no',
    todo: "`details.expected` is the loader's environment and `details.found` the other one. If the session belongs to the other environment, compare your backend's API key and base URL with the page's loader URL.",
  },
  unknown_session_url: {
    meaning:
      "The session URL matches neither the loader's base nor a session prefix, or has more than 4,096 characters.",
    retryable: 'no',
    todo: 'If the session belongs to this environment, add the start of its URL to `sessionPrefixes`. Otherwise, your backend and your page use different services.',
  },
  csp_blocked: {
    meaning:
      "The page's Content-Security-Policy or Trusted Types policy blocks the SDK's script or the session's frame.",
    retryable: 'no',
    todo: "Add the values from the message: the host to `script-src` (or a nonce to your own scripts), the session's host to `frame-src`, `embedded-sessions` to `trusted-types`. Browsers report `script-src-elem`, which falls back to `script-src` and then `default-src`. Extend the directive that you have, because a more specific new one would replace it.",
  },
  offline: {
    meaning: 'The browser reports no network, and the script did not load.',
    retryable: 'yes',
    todo: 'Offer a retry. The next call starts over. No flow was opened and no payment was made.',
  },
  network_error: {
    meaning:
      "The SDK's script failed to load in every attempt: a 4xx or 5xx, a broken connection, a blocking extension, an `integrity` mismatch, or the page's `Integrity-Policy`.",
    retryable: 'yes',
    todo: 'Offer a retry. If it persists, open the loader URL in a tab. If that works, look for a blocking extension.',
  },
  timeout: {
    meaning: 'The script did not load within `timeoutMs`, including retries.',
    retryable: 'yes',
    todo: "Offer a retry; it doesn't wait for the old request. Raise `timeoutMs` for slow networks.",
  },
  service_missing: {
    meaning: "The script ran, but the SDK's global is missing.",
    retryable: 'no',
    todo: 'Check that the loader URL returns the SDK, not a login or error page with status 200. Set `globalName` if the operator uses another name.',
  },
  aborted: {
    meaning: 'Your `signal` was aborted. A load shared with other callers continues.',
    retryable: 'no',
    todo: 'Nothing to fix: your own code requested it.',
  },
  not_in_browser: {
    meaning: '`load` or `loadService` was called without a document, for example on a server.',
    retryable: 'no',
    todo: 'Call it in an effect or event handler. `createLoader`, `preload` and `environmentOf` work anywhere.',
  },
  flow_in_progress: {
    meaning: 'A modal is already open, or this container already has a flow.',
    retryable: 'no',
    todo: 'Disable the button while a flow is open. The first flow continues.',
  },
  flow_failed: {
    meaning:
      "The flow failed: the SDK threw or lacks the method, or its frame didn't load. `details.reason` is `origin_not_allowed` if the business unit doesn't allow the page, `other_flow` if a payment session is opened in another flow or the reverse, `page_error` if the page shows that the link doesn't work, for example because its part after `#` is missing, and `frame_unreachable` if the service doesn't respond or the page is in a sandboxed frame without `allow-same-origin`.",
    retryable: 'no',
    todo: 'For `origin_not_allowed`, have the operator add the origin from the message to `allowedOrigins`. For `other_flow`, create a session for the flow that the page opens. Otherwise see `cause`. Query the session before you offer another payment.',
  },
  session_failed: {
    meaning:
      "A script-tag button requested a session, and the page's backend refused. `details.status` is the status, a 4xx such as 401, 403, 409 or 422.",
    retryable: 'no',
    todo: "Check your backend's response: the payer may have to sign in again, or the bill may be paid. A 5xx or no response is `network_error`, which can be retried.",
  },
};
