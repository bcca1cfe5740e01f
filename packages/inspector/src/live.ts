/** The service's events, live. After a lost connection, the stream resumes where it stopped. */
import { useEffect, useState } from 'preact/hooks';
import { eventsIn, MAX_EVENTS, type InspectorEvent } from '@shared/inspector.js';
import { headers } from './api.js';

/** Draws bursts in one update. */
const GATHERED_MS = 30;
const AGAIN_MS = 1_000;

export type LiveState = 'connecting' | 'live' | 'lost' | 'refused';

/** Whether events were dropped while the page was disconnected. */
let isMissing = false;
let events: readonly InspectorEvent[] = [];
let state: LiveState = 'connecting';
let arrived: InspectorEvent[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;
type Listener = (fresh: readonly InspectorEvent[], isAnew: boolean) => void;
const listeners = new Set<Listener>();
/** Repeats all known events. */
let isAnew = false;

function tell(): void {
  gathering = undefined;
  const fresh = arrived;
  arrived = [];
  if (isAnew || fresh.length > 0) events = [...(isAnew ? [] : events), ...fresh].slice(-MAX_EVENTS);
  const wasAnew = isAnew;
  isAnew = false;
  for (const listener of listeners) listener(fresh, wasAnew);
}

function be(now: LiveState): void {
  state = now;
  gathering ??= setTimeout(tell, GATHERED_MS);
}

/** Calls back with new events, or with all events if some were missed. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Oldest first. */
export function useEvents(): readonly InspectorEvent[] {
  const [shown, show] = useState(events);
  useEffect(() => {
    show(events);
    return onEvents(() => show(events));
  }, []);
  return shown;
}

export function useLiveState(): LiveState {
  const [shown, show] = useState(state);
  useEffect(() => {
    show(state);
    return onEvents(() => show(state));
  }, []);
  return shown;
}

/** Whether events are missing, and a function that dismisses the notice. */
export function useMissing(): [boolean, () => void] {
  const [shown, show] = useState(isMissing);
  useEffect(() => {
    show(isMissing);
    return onEvents(() => show(isMissing));
  }, []);
  return [
    shown,
    () => {
      isMissing = false;
      show(false);
    },
  ];
}

export async function follow(): Promise<void> {
  let last = 0;
  while (state !== 'refused') {
    try {
      const response = await fetch('/events', {
        headers: headers({
          accept: 'text/event-stream',
          ...(last === 0 ? {} : { 'last-event-id': String(last) }),
        }),
      });
      if (response.status === 401) return be('refused');
      if (!response.ok || !response.body) throw new Error(`Events are refused with ${response.status}`);

      for await (const event of eventsIn(textOf(response.body))) {
        if (event === 'missing') {
          isMissing = isAnew = true;
          arrived = [];
        } else if (event === 'caught-up') {
          // From here on, pausing hides only new events.
          be('live');
        } else {
          last = event.id;
          arrived.push(event);
        }
        gathering ??= setTimeout(tell, GATHERED_MS);
      }
    } catch {
      // Resumes after the last received event.
    }
    be('lost');
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Not every browser supports `for await` on a stream. */
async function* textOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
