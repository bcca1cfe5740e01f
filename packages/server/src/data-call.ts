/**
 * Calls that return data: the query and the back office. Not part of the contract: only this project's service has them.
 */
import { startCall } from './request.js';
import { post, readWith, sessionEnvironment, type Settings } from './settings.js';
import type { CallOptions, WithResponse } from './surface.js';
import { withData } from './with-response.js';

/** Calls an endpoint. Calls that change something need an `idempotencyKey`, which every attempt uses. */
export function callForData<T>(
  settings: Settings,
  path: string,
  request: object,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<WithResponse<T>> {
  sessionEnvironment(settings);

  return startCall(settings.limits, options, async (context) => {
    const sent = await post(settings, context, path, request, { idempotencyKey });
    const data = await readWith(context, sent, 'The response has no data: check baseUrl.', () => {
      if (Object(sent.data) !== sent.data) throw new Error('not an object');
      return sent.data as T;
    });

    return withData(sent, data);
  });
}
