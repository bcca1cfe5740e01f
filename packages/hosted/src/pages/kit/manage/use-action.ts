/** Runs one request at a time per page, however often buttons are pressed, and describes its failure. */
import { useRef, useState } from 'preact/hooks';
import type { ApiResult, Refusal } from '../shell/api.js';
import { newId } from '../shell/send.js';
import { useShell, type Shell } from '../shell/shell.js';
import type { FlowReason } from '@shared/page.js';
import { failureText } from '../shell/problem.js';
import { manage, rest } from '../text/index.js';
import { say, type Message } from './page.js';

export interface Action {
  busy: boolean;
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

/** @param showFailure also called when the action starts, without a text */
export function useAction(showFailure: (text?: string) => void = sayFailure): Action {
  const shell = useShell();
  const [busy, setBusy] = useState(false);

  return {
    busy,
    run(request, then, otherwise) {
      if (shell.reported === 'processing' || !shell.mayStart()) return;

      shell.report('processing');
      setBusy(true);
      showFailure();
      void request().then((result) => {
        setBusy(false);
        shell.isUnsure = result.kind === 'unreachable' || (shell.isUnsure && result.kind === 'refused');
        if (result.kind === 'ok') {
          shell.saved();
          return shell.report(then(result.data) ?? 'form');
        }
        if (otherwise?.(result) !== true) showFailure(refusalText(result));
        // Without a response, the change may have been made, so leaving must not report `canceled`.
        shell.report(shell.isUnsure ? 'unsure' : 'form');
      });
    },
  };
}

function sayFailure(text?: string): void {
  if (text !== undefined) say(text, 'danger');
}

export interface FormAction extends Action {
  failure: Message | undefined;
}

/** For an action whose form shows failures itself. */
export function useFormAction(): FormAction {
  const [failure, setFailure] = useState<Message>();
  const action = useAction((text) => setFailure(text === undefined ? undefined : { text, tone: 'danger' }));
  return { ...action, failure };
}

/**
 * Returns a function that closes a form or a question. If a request was sent, it reads the session instead: it may have changed
 * something although it failed, which the page doesn't show.
 */
export function useCancel(busy: boolean, close: () => void): () => void {
  const shell = useShell();
  const wasSent = useRef(false);
  if (busy) wasSent.current = true;
  return () => {
    if (busy) return;
    if (wasSent.current) void shell.reload();
    else close();
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

/** Explains in the payer's language why an action of a management page failed. */
export function refusalText(result: Exclude<ApiResult<unknown>, { kind: 'ok' }>): string {
  if (result.kind === 'unreachable') return rest.failure.unreachable;
  if (result.code === 'too_many_attempts') return manage.wallet.tooManyTries;

  const words: Record<FlowReason, string> & Partial<Record<string, string>> = {
    used_by_autopay: manage.wallet.inUseAutopay,
    used_by_scheduled: manage.wallet.inUseScheduled,
    enrolled_by_another: manage.autopay.byAnother,
    not_enrolled: manage.autopay.notEnrolled,
    payment_started: manage.scheduled.started,
    already_scheduled: manage.schedule.already,
    wallet_full: manage.wallet.full,
  };
  const reason = result.errors[0]?.reason;
  return words[reason ?? ''] ?? failureText(result.code);
}

/**
 * Sends a change, and sends it again if there is no response. Not for consent: by then, it may have been withdrawn elsewhere,
 * and only the payer may give it again.
 */
export async function sendChange<T>({ api }: Shell, path: string, body: unknown): Promise<ApiResult<T>> {
  const first = await api.post<T>(path, body);
  if (first.kind !== 'unreachable') return first;

  const second = await api.post<T>(path, body, true);
  return second.kind === 'refused' && AMBIGUOUS.includes(second.code) ? first : second;
}

/** Refusals that don't tell whether the first request has made the change. */
const AMBIGUOUS: readonly Refusal[] = [
  'rate_limited',
  'too_many_attempts',
  'payments_unavailable',
  'expired',
  'canceled',
  'unauthorized',
];
