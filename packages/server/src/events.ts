/** Sends an event with its payload as a JSON string. */
import { EVENTS_ENDPOINT, type EventPayloads, type EventType } from '@embedded-sessions/server-types';
import { startCall } from './request.js';
import { post, readWith, type Settings } from './settings.js';
import type { CallOptions, EventAnswer, EventOf, ServiceClientOptions, WithResponse } from './surface.js';
import { withData } from './with-response.js';

export function pushEvent<E extends EventType>(
  settings: Settings,
  { readEvent }: Pick<ServiceClientOptions, 'readEvent'>,
  eventType: E,
  event: EventOf<EventPayloads[E]>,
  options: CallOptions,
): Promise<WithResponse<EventAnswer>> {
  const { businessUnitSlug, ...rest } = event;
  const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;
  if (Object(payload) !== payload) throw new TypeError('The payload is not an object.');

  const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };

  return startCall(settings.limits, options, async (context) => {
    const sent = await post(settings, context, EVENTS_ENDPOINT, body, { anyBody: true });
    await readWith(context, sent, 'readEvent rejected the response: see cause.', () =>
      readEvent?.({ status: sent.status, body: sent.raw }),
    );

    return withData(sent, { raw: sent.raw });
  });
}
