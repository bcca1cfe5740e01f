/**
 * @import { LoaderErrorCode } from '@embedded-sessions/loader'
 * @import { EmbeddedPaymentErrorCode } from '@embedded-sessions/react'
 * @import { Page } from './page.d.ts'
 */

/** Codes that this package itself reports. @type {Page<Exclude<EmbeddedPaymentErrorCode, LoaderErrorCode> | 'session_failed' | 'flow_in_progress' | 'flow_failed'>} */
export const REACT = {
  session_failed: {
    meaning:
      'The session function threw, rejected, or took longer than 30 seconds. Its error is the `cause`.',
    retryable: 'yes',
    todo: "Offer a retry, and check your backend's response. If your backend refuses permanently, tell the payer why.",
  },
  session_invalid: {
    meaning: 'The session function returned neither a URL nor an object with a `sessionUrl`.',
    retryable: 'no',
    todo: 'Return the result of `payments.create()`, or at least its `sessionUrl`. A common cause is an unparsed response: use `return response.json()`.',
  },
  no_loader: {
    meaning: 'The component has no `<EmbeddedProvider>` above it and no `loader` option.',
    retryable: 'no',
    todo: 'Put the provider at the root of your app, or pass the loader to the hook.',
  },
  flow_in_progress: {
    meaning: 'Another component has opened or is preparing a modal.',
    retryable: 'no',
    todo: 'Disable the other buttons until it has settled.',
  },
  flow_failed: {
    meaning: 'The loader rejected with something other than a `LoaderError`, which is the `cause`.',
    retryable: 'no',
    todo: 'Check the loader if it is your own, or a fake in a test.',
  },
};
