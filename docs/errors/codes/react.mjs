/**
 * @import { LoaderErrorCode } from '@embedded-sessions/loader'
 * @import { EmbeddedPaymentErrorCode } from '@embedded-sessions/react'
 * @import { Page } from './page.d.ts'
 */

/** What is not the loader's. @type {Page<Exclude<EmbeddedPaymentErrorCode, LoaderErrorCode> | 'session_failed'>} */
export const REACT = {
  session_failed: {
    meaning:
      'The session function threw, rejected, or did not answer within 30 seconds. Its error is the `cause`.',
    retryable: 'yes',
    todo: 'Offer another try, and look at what your backend answered. A backend that refuses for good should say so to the payer itself.',
  },
  session_invalid: {
    meaning:
      'The session function answered something that is no session: no URL, no object with a `sessionUrl`.',
    retryable: 'no',
    todo: 'Answer what `payments.create()` resolved, or at least its `sessionUrl`. A common cause is a response that was not parsed: `return response.json()`.',
  },
  no_loader: {
    meaning: 'There is neither an `<EmbeddedProvider>` above the component nor a `loader` among its options.',
    retryable: 'no',
    todo: 'Put the provider at the root of your app, or hand the loader to the hook.',
  },
};
