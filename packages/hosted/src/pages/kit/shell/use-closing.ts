/** Handles requests to close the frame, and asks the payer before input is lost. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { STATE_MS, type FlowState } from '../../../messages.js';
import type { Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import type { Reported } from './use-session.js';

export interface Closing {
  /** The payer is being asked whether to leave. */
  isAsking: boolean;
  stay: () => void;
  leave: () => void;
  /** Replies to a request that came before the flow could. */
  answer: () => void;
  /** False once the frame may be removed. */
  mayStart: () => boolean;
  tellState: (state: FlowState) => void;
}

export function useClosing(
  frame: Frame,
  late: Late<ShellRest>,
  reported: Reported,
  typed: Set<HTMLInputElement>,
): Closing {
  const [isAsking, setIsAsking] = useState(false);
  const isClosing = useRef(false);

  const tellState = useCallback(
    (next: FlowState): void => frame.tell({ type: 'state', state: next, ...late.part?.wordsOf(next) }),
    [frame, late],
  );

  const answer = useCallback((): void => {
    const { closing: request } = frame;
    if (request === undefined || reported.current === null) return;

    delete frame.closing;
    // Too late: the flow has ended, or it continues and must be able to pay.
    if (performance.now() - request.at > STATE_MS / 2) return;

    const mayAsk = request.by === 'payer' && reported.current === 'form' && late.part !== undefined;
    if (mayAsk && holdsText(typed)) {
      setIsAsking(true);
      return tellState('asking');
    }
    tellState(reported.current);
    isClosing.current = reported.current !== 'processing';
  }, [frame, tellState, late, reported, typed]);

  // Runs in the rendering task: an effect waits for a paint, and the frame may be closed right away.
  useLayoutEffect(() => {
    frame.onClose = answer;
  }, [frame, answer]);

  const mayStart = useCallback((): boolean => !isClosing.current, []);

  return {
    isAsking,
    stay: () => setIsAsking(false),
    leave() {
      typed.clear();
      setIsAsking(false);
      frame.tell({ type: 'close-request', reason: 'cancel' });
    },
    answer,
    mayStart,
    tellState,
  };
}

/** Collects the fields that the payer types in from now on. */
export function trackTyping(): Set<HTMLInputElement> {
  const fields = new Set<HTMLInputElement>();
  addEventListener('input', ({ target }) => {
    const field = target as HTMLInputElement;
    if (!field.matches('[type=radio], [type=checkbox]')) fields.add(field);
  });
  return fields;
}

function holdsText(fields: ReadonlySet<HTMLInputElement>): boolean {
  return [...fields].some((field) => field.isConnected && field.value !== '');
}
