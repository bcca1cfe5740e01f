/**
 * Calls that return data: the query and the back office. Not part of the contract: only this project's service has them.
 */
import { send, type Settings, startCall } from './request.js';
import { sessionEnvironment } from './settings.js';
import type { CallOptions, WithResponse } from './surface.js';
import { readWith } from './with-response.js';

/** Calls an endpoint. Calls that change something need an `idempotencyKey`, which every attempt uses. */
export function callForData<T>(
  settings: Settings,
  path: string,
  request: object,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<WithResponse<T>> {
  sessionEnvironment(settings);

  return startCall(settings, options, async (context) => {
    const sent = await send(context, { path, body: request, idempotencyKey });
    return readWith(context, sent, 'The response has no data: check baseUrl.', () => {
      if (Object(sent.data) !== sent.data) throw new Error('not an object');
      return sent.data as T;
    });
  });
}
