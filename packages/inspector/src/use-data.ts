/** Fetches data, and fetches it again when an event changes it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { InspectorEvent } from '@shared/inspector.js';
import { get } from './api.js';
import { onEvents } from './live.js';

interface Data<T> {
  value?: T | undefined;
  problem?: string | undefined;
  /** Replaces the data with the response of another request. */
  show: (value: T) => void;
}

const everywhere = new Set<() => void>();

/** Refreshes everything on the screen, because an action may change data without an event. */
export function reloadAll(): void {
  for (const reload of everywhere) reload();
}

type Loaded<T> = { path: string; value?: T; problem?: string };

/** @param concerns Returns whether an event changes the data. Pass the same function on every render. */
export function useData<T>(path: string, concerns: (event: InspectorEvent) => boolean = never): Data<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>();
  /** Numbers of the latest request, and of the latest request whose response was shown. */
  const orderRef = useRef({ requested: 0, shown: 0 });
  /** Drops responses that are older than the one on the screen. */
  const startRequest = useCallback((): ((loaded: Loaded<T>) => void) => {
    const order = ++orderRef.current.requested;
    return (loaded) => {
      if (order < orderRef.current.shown) return;
      orderRef.current.shown = order;
      setLoaded(loaded);
    };
  }, []);
  const reload = useCallback(() => {
    const finish = startRequest();
    get<T>(path).then(
      (value) => finish({ path, value }),
      (error: Error) => finish({ path, problem: error.message }),
    );
  }, [path, startRequest]);
  useEffect(() => {
    reload();
    everywhere.add(reload);
    return () => void everywhere.delete(reload);
  }, [reload]);
  useEffect(
    () => onEvents((fresh, isAnew) => (isAnew || fresh.some(concerns) ? reload() : undefined)),
    [reload, concerns],
  );
  const show = useCallback((value: T) => startRequest()({ path, value }), [path, startRequest]);
  // Don't show data of the previous path.
  const { value, problem } = loaded?.path === path ? loaded : {};
  return { value, problem, show };
}

const never = (): boolean => false;
