/** What the app provides to a flow. */
import type { NextFlow } from '@embedded-sessions/loader';
import type { PageSession } from '@shared/page.js';
import type { FlowState } from '../../../messages.js';
import type { Api } from './api.js';

export type Problem =
  | { kind: 'expired' | 'canceled'; returnUrl?: string | undefined }
  | { kind: 'unauthorized' | 'unreachable' | 'silentFrame' }
  | { kind: 'notAllowed'; origin: string };

/**
 * The flow's last report. Null until the session is read, because a payment may be in flight.
 */
export interface Reported {
  current: FlowState | null;
}

/** The outcome of a payment is shown even after its session expires. */
const OUTLIVES = /^(Succeeded|Processing|Failed)$/;

export const outlives = ({ status }: PageSession): boolean => OUTLIVES.test(status);

/** `change` gets the current session of the page's flow. */
export type UpdateSession = (change: (current: never) => PageSession) => void;

export interface Shell {
  api: Api;
  /** The merchant's page listens, so it can close the frame. */
  readonly connected: boolean;
  /** The business unit's name, sanitized for display. */
  business: string;
  /** Who runs the service, if the footer says so. */
  operator: string | undefined;
  /** During `processing`, a payment or a change, the session doesn't visibly expire and the frame can't be closed. */
  report: (state: FlowState) => void;
  completed: (detail: unknown) => void;
  /** `next`: the flow that the payer wants to open next. */
  close: (reason: 'cancel' | 'done' | 'renew', next?: NextFlow) => void;
  /** False if the frame is about to be removed: the result of a new action could not be reported. */
  mayStart: () => boolean;
  /** The payer's input has been saved, so that closing loses nothing. */
  saved: () => void;
  /** Changes the session that the flow shows, for example after a change was stored. */
  update: UpdateSession;
  /** Reads the session again and restarts the flow. */
  reload: () => void;
  /** Ends the flow and shows the problem. */
  fail: (problem: Problem) => void;
}

let open: Shell;

/** Each page has one shell. */
export function setShell(shell: Shell): void {
  open = shell;
}

export function useShell(): Shell {
  return open;
}
