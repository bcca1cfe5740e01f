/** Fetches data, and fetches it again after events and actions, which may change it. */
import { useEffect, useState } from 'preact/hooks';
import type { About } from '@shared/inspector.js';
import { get } from './api.js';
import { onUpdate } from './live.js';

interface Data<T> {
  value?: T | undefined;
  problem?: string | undefined;
}

export function useData<T>(path: string): Data<T> {
  const [loaded, setLoaded] = useState<Data<T> & { path: string }>();
  useEffect(() => {
    /** Numbers of the latest request, and of the latest request whose response was shown. */
    let [requested, shown] = [0, 0];
    const reload = async (): Promise<void> => {
      const order = ++requested;
      const data = await get<T>(path).then(
        (value) => ({ value }),
        (error: Error) => ({ problem: error.message }),
      );
      // Drops responses that are older than the one on the screen.
      if (order < shown) return;
      shown = order;
      setLoaded({ path, ...data });
    };
    void reload();
    const stop = onUpdate(() => void reload());
    return () => {
      stop();
      shown = Infinity;
    };
  }, [path]);
  // Don't show data of the previous path.
  return loaded?.path === path ? loaded : {};
}

export const useAbout = (): About | undefined => useData<About>('/about').value;
