/** Fetches data and fetches it again when an event changes it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { InspectorEvent } from '@shared/inspector.js';
import { get } from './api.js';
import { onEvents } from './live.js';

export interface Data<T> {
  value?: T;
  problem?: string;
  reload: () => void;
  /** Shows the response of another request. */
  show: (value: T) => void;
}

const everywhere = new Set<() => void>();

/** Refreshes everything on the screen, since an action may change data without an event. */
export function reloadAll(): void {
  for (const reload of everywhere) reload();
}

type Loaded<T> = { path: string; value: T } | { path: string; problem: string };

/** @param concerns whether an event changes the data; pass the same function on every call */
export function useData<T>(path: string, concerns: (event: InspectorEvent) => boolean = never): Data<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>();
  /** The latest request, and the latest one whose response was shown. */
  const turnsRef = useRef({ requested: 0, shown: 0 });
  /** Drops a response that is older than the one on the screen. */
  const ask = useCallback((): ((loaded: Loaded<T>) => void) => {
    const turn = ++turnsRef.current.requested;
    return (loaded) => {
      if (turn < turnsRef.current.shown) return;
      turnsRef.current.shown = turn;
      setLoaded(loaded);
    };
  }, []);
  const reload = useCallback(() => {
    const answered = ask();
    get<T>(path).then(
      (value) => answered({ path, value }),
      (error: Error) => answered({ path, problem: error.message }),
    );
  }, [path, ask]);
  useEffect(() => {
    reload();
    everywhere.add(reload);
    return () => void everywhere.delete(reload);
  }, [reload]);
  useEffect(
    () => onEvents((fresh, isAnew) => (isAnew || fresh.some(concerns) ? reload() : undefined)),
    [reload, concerns],
  );
  const show = useCallback((value: T) => ask()({ path, value }), [path, ask]);
  // Do not show data of the previous address.
  const current = loaded?.path === path ? loaded : undefined;
  return {
    ...(current && 'value' in current ? { value: current.value } : {}),
    ...(current && 'problem' in current ? { problem: current.problem } : {}),
    reload,
    show,
  };
}

const never = (): boolean => false;
