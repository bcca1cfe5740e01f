/** The inspector's events after the last one received. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { InspectorEvent } from '../../shared/inspector.js';
import type { Journal } from './journal.js';

const POLL_MS = 250;
/** A comment, which receivers ignore. The headers go out with the first bytes. */
const HEARTBEAT = ':\n\n';

/** As JSON, or as server-sent events that continue with all later ones. */
export function eventsResponse(c: Context, journal: Journal): Response | Promise<Response> {
  const { kind, session, after } = c.req.query();
  const last = Number(c.req.header('last-event-id') ?? after) || 0;
  const isWanted = (event: InspectorEvent): boolean =>
    (kind === undefined || event.kind === kind) && (session === undefined || event.sessionId === session);
  if (!(c.req.header('accept') ?? '').includes('text/event-stream'))
    return c.json(journal.events(last).filter(isWanted));

  return streamSSE(c, async (stream) => {
    // No queue, so that a receiver that stops reading uses no memory.
    for (let place = last; !stream.aborted;) {
      const events = journal.events(place);
      const sent = events
        .filter(isWanted)
        .map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
      await stream.write(sent.join('') || HEARTBEAT);
      place = events.at(-1)?.id ?? place;
      await delay(POLL_MS, undefined, { ref: false });
    }
  });
}
