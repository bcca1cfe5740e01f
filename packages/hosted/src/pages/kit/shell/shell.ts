/** What a flow gets from the page around it. */
import type { FlowState } from '../../../messages.js';
import type { Api } from './api.js';

export type Problem =
  | { kind: 'expired' | 'canceled'; returnUrl?: string | undefined }
  | { kind: 'unauthorized' | 'unreachable' | 'broken' | 'silentFrame' }
  | { kind: 'notAllowed'; origin: string };

export interface Shell {
  api: Api;
  framed: boolean;
  /** Name of the business unit, made safe to show. */
  business: string;
  /** While `processing` the session does not expire in front of the payer and the frame is not closed. */
  report: (state: FlowState) => void;
  completed: (detail: unknown) => void;
  close: (reason: 'cancel' | 'done') => void;
  /** False once the frame is about to be removed: what is started then could not be told any more. */
  mayStart: () => boolean;
  /** Asks for the session again and starts the flow anew. */
  reload: () => void;
  /** Leaves the flow for good. */
  fail: (problem: Problem) => void;
}

let open: Shell;

/** There is one page, and around its flow one shell. */
export function surround(shell: Shell): void {
  open = shell;
}

export function useShell(): Shell {
  return open;
}
