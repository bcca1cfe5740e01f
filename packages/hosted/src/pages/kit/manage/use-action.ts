/** One request at a time on a page, whatever is pressed and however often; its failure as words. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../shell/api.js';
import { newId } from '../shell/new-id.js';
import { useShell } from '../shell/shell.js';
import { refusalText } from './refusal.js';

export interface Action {
  busy: boolean;
  /** Counts up with each failure, so that its notice is new each time. */
  failure: { text: string; count: number } | null;
  /** Does nothing while one is running, this or another. `then` gets the data when it came about. */
  run<T>(
    request: () => Promise<Answer<T>>,
    then: (data: T) => void,
    otherwise?: (answer: Answer<T>) => boolean,
  ): void;
}

/** Whether one is running on this page, and who wants to know. */
let isRunning = false;
const watchers = new Set<(running: boolean) => void>();

function setRunning(running: boolean): void {
  isRunning = running;
  for (const watcher of watchers) watcher(running);
}

/** True while any action of the page runs. */
export function useIsRunning(): boolean {
  const [running, watch] = useState(isRunning);
  useLayoutEffect(() => {
    watchers.add(watch);
    return () => void watchers.delete(watch);
  }, []);
  return running;
}

export function useAction(): Action {
  const shell = useShell();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Action['failure']>(null);

  return {
    busy,
    failure,
    run(request, then, otherwise) {
      if (isRunning || !shell.mayStart()) return;
      setRunning(true);
      setBusy(true);
      setFailure(null);
      void request().then((answer) => {
        setRunning(false);
        setBusy(false);
        if (answer.kind === 'ok') return then(answer.data);
        if (otherwise?.(answer) === true) return;
        const text = refusalText(answer);
        setFailure((last) => ({ text, count: (last?.count ?? 0) + 1 }));
      });
    },
  };
}

/**
 * An id for a request that stays the same while the same thing is asked for, however often, so that it is done once;
 * something else is another request. `renew` when it was done or refused.
 */
export function useRequestId(): { of(request: unknown): string; renew(): void } {
  const last = useRef<{ id: string; request: string } | null>(null);
  return {
    of(request) {
      const text = JSON.stringify(request);
      if (last.current?.request !== text) last.current = { id: newId(), request: text };
      return last.current.id;
    },
    renew: () => {
      last.current = null;
    },
  };
}
