/** Pushes events, those of one account in the order of the calls. */
import { EVENTS_ENDPOINT, type EventPayloads, type EventType } from '@embedded-sessions/server-types';
import { inOrder } from './order.js';
import { begin } from './request.js';
import { post, readBy, type Settings } from './settings.js';
import type { CallOptions, EventAnswer, EventOf, ServiceClientOptions, WithResponse } from './surface.js';
import { withData } from './with-response.js';

export function pushEvent<E extends EventType>(
  settings: Settings,
  { readEvent }: Pick<ServiceClientOptions, 'readEvent'>,
  eventType: E,
  event: EventOf<EventPayloads[E]>,
  call: CallOptions,
): Promise<WithResponse<EventAnswer>> {
  const { businessUnitSlug, ...rest } = event;
  const payload: EventPayloads[EventType] = 'payload' in rest ? rest.payload : rest;
  const body = { eventType, payload: JSON.stringify(payload), businessUnitSlug };
  const account = [
    settings.transport.baseUrl,
    businessUnitSlug,
    payload.accountNumber,
    payload.subAccountNumber,
  ];
  return begin(settings.limits, call, async (course) => {
    const sent = await inOrder(JSON.stringify(account), (before) =>
      post(settings, course, EVENTS_ENDPOINT, body, { before, anyBody: true }),
    );
    await readBy(course, sent, 'readEvent refused the answer: see cause.', () =>
      readEvent?.({ status: sent.status, body: sent.raw }),
    );
    return withData(sent, { raw: sent.raw });
  });
}
