/** Handles requests to close the frame. Asks the payer first if input would be lost. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { STATE_MS, type FlowState } from '../../../messages.js';
import type { Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import type { Reported } from './shell.js';

export interface Closing {
  /** The payer is being asked whether to leave. */
  isAsking: boolean;
  /** What the payer entered may have been saved. */
  isUnsure: boolean;
  stay: () => void;
  leave: () => void;
  /** Replies to a pending request. */
  reply: () => void;
  /** False once the frame may be removed. */
  mayStart: () => boolean;
  postState: (state: FlowState) => void;
}

export function useClosing(
  frame: Frame,
  late: Late<ShellRest>,
  reported: Reported,
  typed: Set<string>,
): Closing {
  const [isAsking, setIsAsking] = useState(false);
  const isClosing = useRef(false);

  const postState = useCallback(
    (next: FlowState, reply?: boolean): void => {
      // Another tab has paid in the meantime.
      if (next === 'done') setIsAsking(false);
      frame.post({ type: 'state', state: next, ...late.part?.factsOf(next), reply });
    },
    [frame, late],
  );

  const reply = useCallback((): void => {
    const { closing: request } = frame;
    if (request === undefined || reported.current === null) return;

    delete frame.closing;
    // Too late: the SDK has stopped waiting, and the flow may continue and must be able to pay.
    if (performance.now() - request.at > STATE_MS / 2) return;

    const canConfirm =
      request.by === 'payer' && /form|unsure/.test(reported.current) && late.part !== undefined;
    if (canConfirm && hasText(typed)) {
      setIsAsking(true);
      return postState('asking', true);
    }
    postState(reported.current, true);
    isClosing.current = reported.current !== 'processing';
  }, [frame, postState, late, reported, typed]);

  // A layout effect, because other effects wait for a paint and the frame may be closed right away.
  useLayoutEffect(() => {
    frame.onClose = reply;
  }, [frame, reply]);

  const mayStart = useCallback((): boolean => !isClosing.current, []);

  return {
    isAsking,
    isUnsure: reported.current === 'unsure',
    stay() {
      setIsAsking(false);
      postState(reported.current as FlowState);
    },
    leave() {
      typed.clear();
      setIsAsking(false);
      frame.post({ type: 'close-request', reason: 'cancel' });
    },
    reply,
    mayStart,
    postState,
  };
}

/** Starts collecting the ids of the fields that the payer types in. A form that is shown again has new elements. */
export function trackTyping(): Set<string> {
  const ids = new Set<string>();
  addEventListener('input', ({ target }) => {
    const field = target as HTMLInputElement;
    if (!field.matches('[type=radio], [type=checkbox]')) ids.add(field.id);
  });
  return ids;
}

function hasText(ids: ReadonlySet<string>): boolean {
  return [...ids].some((id) => (document.getElementById(id) as HTMLInputElement | null)?.value);
}
