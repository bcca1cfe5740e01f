/** The inspector's live events, as server-sent events. */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { CAUGHT_UP, type InspectorEvent } from '../../shared/inspector.js';
import type { Journal } from './journal.js';

/** Events per chunk. */
const BATCH = 500;
/** Interval of comments that keep an idle stream open, real ms. */
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

  return streamSSE(c, (stream) => new EventStream(stream, journal, wanted).run(from, isGone));
}

function filterOf(c: Context): (event: InspectorEvent) => boolean {
  const { kind, businessUnit, session } = c.req.query();
  const kinds = kind?.split(',');
  return (event) =>
    (kinds === undefined || kinds.includes(event.kind)) &&
    (businessUnit === undefined || event.businessUnit === businessUnit) &&
    (session === undefined || event.sessionId === session);
}

class EventStream {
  readonly #stream: Stream;
  readonly #journal: Journal;
  readonly #wanted: (event: InspectorEvent) => boolean;
  #wake: (() => void) | undefined;

  constructor(stream: Stream, journal: Journal, wanted: (event: InspectorEvent) => boolean) {
    this.#stream = stream;
    this.#journal = journal;
    this.#wanted = wanted;
  }

  /** @param isBehind events before `from` were dropped */
  async run(from: number, isBehind: boolean): Promise<void> {
    if (this.#hasEnded()) return;

    const life = setInterval(() => void this.#stream.write(':\n\n'), HEARTBEAT_MS);
    const leave = (): void => {
      stop();
      clearInterval(life);
      this.#wake?.();
    };
    // A write may never be read, so it must not keep the stream open when the journal closes.
    const stop = this.#journal.follow(() => (this.#journal.hasEnded() ? leave() : this.#wake?.()));
    this.#stream.onAbort(leave);
    await this.#sendAll(from, isBehind);
    leave();
  }

  #hasEnded(): boolean {
    return this.#stream.aborted || this.#journal.hasEnded();
  }

  async #sendAll(from: number, wasGone: boolean): Promise<void> {
    // Keep a position in the ring buffer instead of a queue, so that a page that stops reading uses no memory.
    let place = from;
    let isBehind = wasGone;
    let isLive = false;
    while (!this.#hasEnded()) {
      isBehind ||= place > 0 && this.#journal.isGone(place);
      const batch = this.#journal.events(isBehind && this.#journal.isGone(place) ? 0 : place).slice(0, BATCH);
      if (isBehind) await this.#stream.writeSSE({ event: 'missing', data: '{}' });
      isBehind = false;
      await this.#send(batch);

      place = batch.at(-1)?.id ?? place;
      if (this.#journal.events(place).length > 0) continue;

      // Send something even if there are no events, because headers go out with the first bytes.
      if (!isLive) await this.#stream.write(CAUGHT_UP);
      else await this.#nextEvent();
      isLive = true;
    }
  }

  async #send(batch: readonly InspectorEvent[]): Promise<void> {
    const shown = batch.filter(this.#wanted);
    const chunks = shown.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
    if (chunks.length > 0) await this.#stream.write(chunks.join(''));
  }

  async #nextEvent(): Promise<void> {
    if (!this.#hasEnded()) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}
