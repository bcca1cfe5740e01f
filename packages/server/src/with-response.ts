import { asServiceError } from './error.js';
import type { Sent } from './request.js';
import type { Answer, WithResponse } from './surface.js';

export const withData = <T>({ status, requestId, attempts }: Sent, data: T): WithResponse<T> => ({
  data,
  status,
  requestId,
  attempts,
});

/** Returns a promise for the data with `withResponse()`. Rejects only with a ServiceError. */
export function answerOf<T>(work: () => Promise<WithResponse<T>>): Answer<T> {
  const sent = (async () => work())().catch((cause: unknown) => {
    throw asServiceError(cause);
  });
  const promise = sent.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: () => {
      promise.catch(() => undefined); // the caller gets the same rejection from `sent`
      return sent;
    },
  });
}
