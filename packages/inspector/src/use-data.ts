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
