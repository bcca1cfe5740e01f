/** Reads the session, watches its expiry, and ends the flow when the session has ended. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import type { FlowState } from '../../../messages.js';
import { openingAnswer, type Answer, type Api, type Refusal } from './api.js';
import type { Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import type { Problem } from './shell.js';

export type Phase<S> =
  | { kind: 'opening' }
  | { kind: 'open'; session: S; opened: number }
  | { kind: 'stopped'; problem: Problem };

/**
 * The flow's last report; null until the session is read, because before that nothing is known about a payment.
 */
export interface Reported {
  current: FlowState | null;
}

/** The outcome of a payment is shown even after its session expires. */
const OUTLIVES = /^(Succeeded|Processing|Failed)$/;

export const outlives = ({ status }: PageSession): boolean => OUTLIVES.test(status);

interface Outside {
  frame: Frame;
  late: Late<ShellRest>;
  secret: string | undefined;
  reported: Reported;
  /** The service has accepted a request. */
  onSent: () => void;
}

interface OpenSession<S> {
  phase: Phase<S>;
  api: Api;
  /** Reads the session again and restarts the flow. */
  open: () => Promise<void>;
  /** Leaves the flow permanently. */
  fail: (problem: Problem) => void;
}

export function useSession<S extends PageSession>(outside: Outside): OpenSession<S> {
  const { frame, late, secret, reported } = outside;
  const [phase, setPhase] = useState<Phase<S>>(
    secret === undefined ? { kind: 'stopped', problem: { kind: 'unauthorized' } } : { kind: 'opening' },
  );

  const fail = useCallback(
    (problem: Problem): void => {
      setPhase({ kind: 'stopped', problem });
      if (problem.kind === 'expired') return frame.tell({ type: 'expired' });
      void late.read().then(({ problemText }) => {
        frame.tell({ type: 'error', message: problemText(problem, shownName()).title });
      });
    },
    [frame, late],
  );
  const { api, watch } = useApi(outside, fail);

  const open = useCallback(async (): Promise<void> => {
    setPhase({ kind: 'opening' });
    reported.current = null;
    const early = await openingAnswer<S>();
    const answer = early === null ? await api.get<S>('session') : watch(early);
    if (answer.kind === 'ok') setPhase({ kind: 'open', session: answer.data, opened: performance.now() });
    else if (answer.kind === 'unreachable') setPhase({ kind: 'stopped', problem: { kind: 'unreachable' } });
    else if (endedBy(answer.code) === null) fail({ kind: 'broken' });
  }, [api, watch, fail, reported]);

  useEffect(() => {
    if (secret === undefined) fail({ kind: 'unauthorized' });
    else void open();
  }, [secret, open, fail]);

  const { part } = late;
  useEffect(() => {
    if (phase.kind !== 'open' || part === undefined) return undefined;

    const { session, opened } = phase;
    const end = (): Promise<void> =>
      part.askEnded(session, {
        ask: () => api.get<S>('session'),
        onSilence(problem) {
          reported.current = null;
          setPhase({ kind: 'stopped', problem });
        },
        onAnswer(answer, problem) {
          if (outlives(answer)) setPhase({ kind: 'open', session: answer, opened: performance.now() });
          else fail(problem);
        },
      });
    return part.keepTime({
      session,
      opened,
      isForm: () => reported.current === 'form',
      onEnd: () => void (outlives(session) || end()),
    });
  }, [phase, part, api, fail, reported]);

  return { phase, api, open, fail };
}

type Watch = <T>(answer: Answer<T>, path?: string) => Answer<T>;

/** Requests to the service, any of which may find that the session has ended. */
function useApi(
  { late, secret = '', reported, onSent }: Outside,
  fail: (problem: Problem) => void,
): { api: Api; watch: Watch } {
  return useMemo(() => {
    // A session that has ended ends the flow, whichever request notices. During a payment, however, a refused status request
    // says nothing about the payment.
    const watch: Watch = (answer, path = 'session') => {
      const counts = reported.current !== 'processing' || path === 'pay';
      const kind = counts && answer.kind === 'refused' ? endedBy(answer.code) : null;
      if (kind !== null) fail({ kind, returnUrl: (answer as { errors: Ended[] }).errors[0]?.returnUrl });
      return answer;
    };
    const plain = async (): Promise<Api> => (await late.read()).createApi(secret);
    const api: Api = {
      get: async (path) => watch(await (await plain()).get(path), path),
      async post<T>(path: string, body?: unknown) {
        const answer = await (await plain()).post<T>(path, body);
        if (answer.kind === 'ok') onSent();
        return watch(answer, path);
      },
    };
    return { api, watch };
  }, [late, secret, reported, onSent, fail]);
}

type Ended = { returnUrl?: string };

/** How a refusal says that the session has ended; null if it continues. */
function endedBy(code: Refusal): 'expired' | 'canceled' | 'unauthorized' | null {
  return code === 'expired' || code === 'canceled' || code === 'unauthorized' ? code : null;
}

/** The name in the HTML, used until the session has loaded. */
export function shownName(): string {
  return document.querySelector('.brand-name')?.textContent ?? '';
}
