import { untilAborted } from './deadline.js';
import { asServiceError, ServiceError } from './error.js';
import type { CallContext, Sent } from './request.js';
import type { ServicePromise, WithResponse } from './surface.js';

/** Reads a response with a function that may be the caller's. Converts its errors to protocol errors. */
export const readWith = <T>(
  { total }: CallContext,
  { status, requestId, attempts }: Sent,
  message: string,
  reader: () => T | Promise<T>,
): Promise<WithResponse<T>> =>
  untilAborted(total.signal, async () => {
    try {
      return { data: await reader(), status, requestId, attempts };
    } catch (cause) {
      throw new ServiceError('protocol', message, { cause, status, requestId });
    }
  });

/** Returns a promise for the data with `withResponse()`. Rejects only with a ServiceError. */
export function servicePromise<T>(work: () => Promise<WithResponse<T>>): ServicePromise<T> {
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
