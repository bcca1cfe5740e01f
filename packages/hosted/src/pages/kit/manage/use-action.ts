/** Runs one request at a time per page, however often buttons are pressed, and describes its failure. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiResult } from '../shell/api.js';
import { newId } from '../shell/new-id.js';
import { useShell } from '../shell/shell.js';
import { refusalText } from './refusal.js';

/** A message in a notice. Its identity distinguishes it from another one with the same text. */
export interface Message {
  text: string;
}

export interface Action {
  busy: boolean;
  failure: Message | null;
  /**
   * Does nothing while any action is running. `then` gets the response's data, and returns `done` if the flow is over.
   * `otherwise` returns true if it has handled the failure.
   */
  run<T>(
    request: () => Promise<ApiResult<T>>,
    then: (data: T) => 'done' | void,
    otherwise?: (result: ApiResult<T>) => boolean,
  ): void;
}

/** Whether an action is running on this page. */
let isRunning = false;
const watchers = new Set<(running: boolean) => void>();

function setRunning(running: boolean): void {
  isRunning = running;
  for (const watcher of watchers) watcher(running);
}

/** True while any action of the page is running. */
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
  const [failure, setFailure] = useState<Message | null>(null);

  return {
    busy,
    failure,
    run(request, then, otherwise) {
      if (isRunning || !shell.mayStart()) return;

      shell.report('processing');
      setRunning(true);
      setBusy(true);
      setFailure(null);
      void request().then((result) => {
        setRunning(false);
        setBusy(false);
        if (result.kind === 'ok') {
          shell.saved();
          return shell.report(then(result.data) ?? 'form');
        }
        // Without a response, the change may have been made, so that leaving cancels nothing.
        shell.report(result.kind === 'unreachable' ? 'unsure' : 'form');
        if (otherwise?.(result) !== true) setFailure({ text: refusalText(result) });
      });
    },
  };
}

/** Returns the same idempotency key for the same input. Call `discard` after the service refuses the request. */
export function useRequestId(): { of(request: unknown): string; discard(): void } {
  const last = useRef<{ id: string; request: string } | null>(null);
  return {
    of(request) {
      const text = JSON.stringify(request);
      if (last.current?.request !== text) last.current = { id: newId(), request: text };
      return last.current.id;
    },
    discard: () => {
      last.current = null;
    },
  };
}
