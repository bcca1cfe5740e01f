/** The inspector's live events, as server-sent events. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { InspectorEvent } from '../../shared/inspector.js';
import type { Journal } from './journal.js';

/** Events per chunk. */
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
  const isGone = last > 0 && journal.isGone(last);
  const from = isGone ? 0 : last;
  if (!(c.req.header('accept') ?? '').includes('text/event-stream'))
    return c.json(journal.events(from).filter(wanted));

  // Nothing reads or cancels the body of a HEAD response.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });

  return streamSSE(c, (stream) => sendEvents(stream, journal, wanted, from, isGone));
}

function filterOf(c: Context): (event: InspectorEvent) => boolean {
  const { kind, businessUnit, session } = c.req.query();
  const kinds = kind?.split(',');
  return (event) =>
    (kinds === undefined || kinds.includes(event.kind)) &&
    (businessUnit === undefined || event.businessUnit === businessUnit) &&
    (session === undefined || event.sessionId === session);
}

/**
 * Keeps a position in the ring buffer instead of a queue, so that a page that stops reading uses no memory.
 * @param wasGone events before `from` were dropped
 */
async function sendEvents(
  stream: Stream,
  journal: Journal,
  wanted: (event: InspectorEvent) => boolean,
  from: number,
  wasGone: boolean,
): Promise<void> {
  const hasEnded = (): boolean => stream.aborted || journal.hasEnded();
  let wake: (() => void) | undefined;
  const heartbeat = setInterval(() => void stream.write(HEARTBEAT), HEARTBEAT_MS);
  const leave = (): void => {
    stop();
    clearInterval(heartbeat);
    wake?.();
  };
  // A write may never be read, so it must not keep the stream open when the journal closes.
  const stop = journal.follow(() => (journal.hasEnded() ? leave() : wake?.()));
  stream.onAbort(leave);

  let place = from;
  let isBehind = wasGone;
  // The headers go out with the first bytes.
  await stream.write(HEARTBEAT);
  while (!hasEnded()) {
    isBehind ||= place > 0 && journal.isGone(place);
    const batch = journal.events(isBehind && journal.isGone(place) ? 0 : place).slice(0, BATCH);
    if (isBehind) await stream.writeSSE({ event: 'missing', data: '{}' });
    isBehind = false;
    const chunks = batch.filter(wanted).map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
    if (chunks.length > 0) await stream.write(chunks.join(''));

    place = batch.at(-1)?.id ?? place;
    if (journal.events(place).length > 0) continue;

    if (!hasEnded()) await new Promise<void>((resolve) => (wake = resolve));
    wake = undefined;
  }
  leave();
}
