/** What a flow gets from the page around it. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
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

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === null) throw new Error('A flow is drawn by start(), which provides its shell.');
  return shell;
}
