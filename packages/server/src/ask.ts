/** Calls of this project's service alone, which answer data: the query and the back office. */
import { begin } from './request.js';
import { post, readBy, sessionEnvironment, type Settings } from './settings.js';
import type { CallOptions, WithResponse } from './surface.js';
import { withData } from './with-response.js';

/** Asks an endpoint; `idempotencyKey` where the call changes something and must be the same call on every attempt. */
export function ask<T>(
  settings: Settings,
  path: string,
  request: object,
  call: CallOptions,
  idempotencyKey?: string,
): Promise<WithResponse<T>> {
  sessionEnvironment(settings);
  return begin(settings.limits, call, async (course) => {
    const sent = await post(settings, course, path, request, { idempotencyKey });
    return withData(
      sent,
      await readBy(course, sent, 'The answer has no data: check baseUrl.', () => {
        if (Object(sent.data) === sent.data) return sent.data as T;
        throw new Error('no object');
      }),
    );
  });
}
