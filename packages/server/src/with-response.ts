/** The promises that callers get. */
import { asServiceError } from './error.js';
import type { Sent } from './request.js';
import type { Answer, WithResponse } from './surface.js';

export const withData = <T>({ status, requestId, attempts }: Sent, data: T): WithResponse<T> => ({
  data,
  status,
  requestId,
  attempts,
});

/** The promise of the data, which can also tell how it came about. Whatever it rejects with is a ServiceError. */
export function answerOf<T>(work: () => Promise<WithResponse<T>>): Answer<T> {
  const sent = (async () => work())().catch((cause: unknown) => {
    throw asServiceError(cause);
  });
  const promise = sent.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: () => {
      promise.catch(() => undefined); // the same rejection reaches the caller through `sent`
      return sent;
    },
  });
}
