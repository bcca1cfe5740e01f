/** Streams the service's events. After a lost connection, the stream starts over with all that the service still has. */
import { useEffect, useState } from 'preact/hooks';
import { MAX_EVENTS, type InspectorEvent, type About } from '@shared/inspector.js';
import { headers, get } from './api.js';

/** Batches bursts of events into one update. */
const BATCH_MS = 30;
const RETRY_MS = 1_000;

export type LiveState = 'connecting' | 'live' | 'lost' | 'refused';

let events: readonly InspectorEvent[] = [];
let state: LiveState = 'connecting';
let arrived: InspectorEvent[] = [];
let pendingUpdate: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Updates everything on the screen. Call it after an action, which may change data without an event. */
export function update(): void {
  pendingUpdate = undefined;
  if (arrived.length > 0) events = [...events, ...arrived].slice(-MAX_EVENTS);
  arrived = [];
  for (const listener of listeners) listener();
}

function setState(next: LiveState): void {
  state = next;
  pendingUpdate ??= setTimeout(update, BATCH_MS);
}

/** Calls back after events, actions and changes of the connection. */
function onUpdate(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns what `read` returns, and updates it with each event. */
function useLive<T>(read: () => T): T {
  const [shown, show] = useState(read);
  useEffect(() => {
    const showNow = (): void => show(read);
    showNow();
    return onUpdate(showNow);
  }, [read]);
  return shown;
}

/** Oldest first. */
export const useEvents = (): readonly InspectorEvent[] => useLive(knownEvents);
export const useLiveState = (): LiveState => useLive(liveState);

const knownEvents = (): readonly InspectorEvent[] => events;
const liveState = (): LiveState => state;

export async function follow(): Promise<void> {
  while (state !== 'refused') {
    try {
      const response = await fetch('/events', { headers: headers({ accept: 'text/event-stream' }) });
      if (response.status === 401) return setState('refused');
      if (!response.ok || !response.body) throw new Error(`Events are refused with ${response.status}`);

      events = [];
      arrived = [];
      setState('live');
      for await (const event of eventsIn(textOf(response.body))) {
        arrived.push(event);
        pendingUpdate ??= setTimeout(update, BATCH_MS);
      }
    } catch {
      // Reconnects below.
    }
    setState('lost');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Needed because some browsers don't support `for await` on a stream. */
async function* textOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Parses a chunked event stream. */
async function* eventsIn(parts: AsyncIterable<string>): AsyncGenerator<InspectorEvent> {
  let rest = '';
  for await (const part of parts) {
    const messages = (rest + part).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: ?(.*)$/m.exec(message)?.[1];
      if (data !== undefined) yield JSON.parse(data) as InspectorEvent;
    }
  }
}

interface Data<T> {
  value?: T | undefined;
  problem?: string | undefined;
}

/** Fetches data, and fetches it again after events and actions, which may change it. */
export function useData<T>(path: string): Data<T> {
  const [loaded, setLoaded] = useState<Data<T> & { path: string }>();
  useEffect(() => {
    let [isLoading, isOutdated] = [false, false];
    const ended = new AbortController();
    const reload = async (): Promise<void> => {
      isOutdated = true;
      // One request at a time, however many events arrive.
      if (isLoading) return;

      isLoading = true;
      while (isOutdated && !ended.signal.aborted) {
        isOutdated = false;
        const data = await get<T>(path).then(
          (value) => ({ value }),
          (error: Error) => ({ problem: error.message }),
        );
        // What the developer sees or has typed stays while the service can't be reached.
        if (!ended.signal.aborted)
          setLoaded((old) => ({ path, ...(old?.path === path && { value: old.value }), ...data }));
      }
      isLoading = false;
    };
    void reload();
    const stop = onUpdate(() => void reload());
    return () => {
      stop();
      ended.abort();
    };
  }, [path]);
  // Don't show data of the previous path.
  return loaded?.path === path ? loaded : {};
}

export const useAbout = (): About | undefined => useData<About>('/about').value;
