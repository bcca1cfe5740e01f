/** The inspector's live events, as server-sent events. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { InspectorEvent } from '../../shared/inspector.js';
import type { Journal } from './journal.js';

const BATCH = 500;
/** A comment, which receivers ignore. */
const HEARTBEAT = ':\n\n';
/** Interval of heartbeats that keep an idle stream open, real ms. */
const HEARTBEAT_MS = 15_000;

type Stream = Parameters<Parameters<typeof streamSSE>[1]>[0];

/** Returns past events as JSON, or streams them and all later ones. */
export function eventsResponse(c: Context, journal: Journal): Response | Promise<Response> {
  const wanted = filterOf(c);
  const given = Number(c.req.header('last-event-id') ?? c.req.query('after') ?? 0);
  const last = Number.isFinite(given) ? given : 0;
  if (!(c.req.header('accept') ?? '').includes('text/event-stream'))
    return c.json(journal.events(last).filter(wanted));

  // Nothing reads or cancels the body of a HEAD response.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });

  return streamSSE(c, (stream) => sendEvents(stream, journal, wanted, last));
}

function filterOf(c: Context): (event: InspectorEvent) => boolean {
  const { kind, businessUnit, session } = c.req.query();
  const kinds = kind?.split(',');
  return (event) =>
    (kinds === undefined || kinds.includes(event.kind)) &&
    (businessUnit === undefined || event.businessUnit === businessUnit) &&
    (session === undefined || event.sessionId === session);
}

/** Keeps a position in the ring buffer instead of a queue, so that a page that stops reading uses no memory. */
async function sendEvents(
  stream: Stream,
  journal: Journal,
  wanted: (event: InspectorEvent) => boolean,
  last: number,
): Promise<void> {
  let wake = (): void => undefined;
  const heartbeat = setInterval(() => void stream.write(HEARTBEAT), HEARTBEAT_MS);
  const stop = journal.follow(() => wake());
  stream.onAbort(() => {
    stop();
    clearInterval(heartbeat);
    wake();
  });

  // The headers go out with the first bytes.
  await stream.write(HEARTBEAT);
  let place = last;
  while (!stream.aborted) {
    const batch = journal.events(place).slice(0, BATCH);
    const chunks = batch.filter(wanted).map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
    if (chunks.length > 0) await stream.write(chunks.join(''));

    place = batch.at(-1)?.id ?? place;
    if (batch.length === 0 && !stream.aborted) await new Promise<void>((resolve) => (wake = resolve));
  }
}
