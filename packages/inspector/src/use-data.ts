/** What the service says at an address, asked again when an event says that it has changed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { InspectorEvent } from '../../service/src/shared/inspector.js';
import { get } from './api.js';
import { onEvents } from './live.js';

export interface Data<T> {
  value?: T;
  problem?: string;
  reload: () => void;
  /** Shows what another request answered. */
  show: (value: T) => void;
}

const everywhere = new Set<() => void>();

/** Asks again for all that is on the screen: what a press changed need not have made an event. */
export function reloadAll(): void {
  for (const reload of everywhere) reload();
}

type Loaded<T> = { path: string; value: T } | { path: string; problem: string };

/** @param concerns whether an event changes it; must be the same function at each call */
export function useData<T>(path: string, concerns: (event: InspectorEvent) => boolean = never): Data<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>();
  /** Of those that were asked, the latest one, and the latest one whose answer was shown. */
  const turnsRef = useRef({ asked: 0, shown: 0 });
  /** An answer that was asked for before the one on the screen comes too late. */
  const ask = useCallback((): ((loaded: Loaded<T>) => void) => {
    const turn = ++turnsRef.current.asked;
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
  // What was loaded for another address is not shown at this one.
  const current = loaded?.path === path ? loaded : undefined;
  return {
    ...(current && 'value' in current ? { value: current.value } : {}),
    ...(current && 'problem' in current ? { problem: current.problem } : {}),
    reload,
    show,
  };
}

const never = (): boolean => false;
