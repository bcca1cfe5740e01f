/** Sends an event with its payload as a JSON string. */
import { EVENTS_ENDPOINT, type EventPayloads, type EventType } from '@embedded-sessions/server-types';
import { send, type Settings, startCall } from './request.js';
import type { CallOptions, EventResult, EventOf, ServiceClientOptions, WithResponse } from './surface.js';
import { readWith } from './with-response.js';

export function pushEvent<E extends EventType>(
  settings: Settings,
  { readEvent }: Pick<ServiceClientOptions, 'readEvent'>,
  eventType: E,
  event: EventOf<EventPayloads[E]>,
  options: CallOptions,
): Promise<WithResponse<EventResult>> {
  const { businessUnitSlug, ...rest } = event;
  const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;
  if (Object(payload) !== payload) throw new TypeError('The payload is not an object.');

  const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };

  return startCall(settings, options, async (context) => {
    const sent = await send(context, { path: EVENTS_ENDPOINT, body, anyBody: true });
    return readWith(context, sent, 'readEvent rejected the response: see cause.', async () => {
      const { status, raw } = sent;
      await readEvent?.({ status, body: raw });
      return { raw };
    });
  });
}
