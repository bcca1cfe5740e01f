/** Polls the service's events and updates the screen. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { MAX_EVENTS, type InspectorEvent, type About } from '@shared/inspector.js';
import { headers, get } from './api.js';

const POLL_MS = 300;

export type LiveState = 'connecting' | 'live' | 'lost' | 'refused';

let events: readonly InspectorEvent[] = [];
let state: LiveState = 'connecting';
const listeners = new Set<() => void>();

/** Updates everything on the screen. Call it after an action, which may change data without an event. */
export function update(): void {
  for (const listener of listeners) listener();
}

/** Calls back after events, actions and changes of the connection. */
function onUpdate(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function useUpdates(): void {
  const [, redraw] = useState({});
  useLayoutEffect(() => onUpdate(() => redraw({})), []);
}

/** Oldest first. */
export function useEvents(): readonly InspectorEvent[] {
  useUpdates();
  return events;
}

export function useLiveState(): LiveState {
  useUpdates();
  return state;
}

export async function follow(): Promise<void> {
  while (state !== 'refused') {
    const before = { state, last: events.at(-1)?.id };
    state = await poll();
    if (state !== before.state || events.at(-1)?.id !== before.last) update();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Adds newer events. After a lost connection, starts over with all that the service still has. */
async function poll(): Promise<LiveState> {
  const known = state === 'live' ? events : [];
  try {
    const response = await fetch(`/events?after=${known.at(-1)?.id ?? 0}`, { headers: headers() });
    if (response.status === 401) return 'refused';
    if (!response.ok) return 'lost';

    const newer = (await response.json()) as InspectorEvent[];
    events = [...known, ...newer].slice(-MAX_EVENTS);
    return 'live';
  } catch {
    return 'lost';
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
