/** Reads the session, watches its expiry, and ends the flow when the session ends. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import { openingResult, type ApiResult, type Api, type Refusal } from './api.js';
import type { Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import type { Problem, Reported, UpdateSession } from './shell.js';

export type Phase<S> =
  | { kind: 'opening' }
  | { kind: 'open'; session: S; opened: number }
  | { kind: 'stopped'; problem: Problem };

interface SessionContext {
  frame: Frame;
  late: Late<ShellRest>;
  secret: string | undefined;
  reported: Reported;
}

export interface OpenSession<S> {
  phase: Phase<S>;
  api: Api;
  /** Reads the session again and restarts the flow. */
  open: () => Promise<void>;
  /** Changes the session. The flow goes on. */
  update: UpdateSession;
  /** Ends the flow and shows the problem. */
  fail: (problem: Problem) => void;
}

export function useSession<S extends PageSession>(context: SessionContext): OpenSession<S> {
  const { frame, late, secret, reported } = context;
  const [phase, setPhase] = useState<Phase<S>>(
    secret === undefined ? { kind: 'stopped', problem: { kind: 'unauthorized' } } : { kind: 'opening' },
  );

  const fail = useCallback(
    (problem: Problem): void => {
      setPhase({ kind: 'stopped', problem });
      if (problem.kind === 'expired') return frame.post({ type: 'expired' });
      void late.load().then(({ problemText }) => {
        frame.post({ type: 'error', message: problemText(problem, shownName()).title });
      });
    },
    [frame, late],
  );
  const update = useCallback<UpdateSession>((change) => {
    setPhase((phase) => {
      if (phase.kind !== 'open') return phase;
      // Keep `now`, the service's time when the flow was `opened`: the expiry is counted from both.
      const { now } = phase.session;
      return { ...phase, session: { ...change(phase.session as never), now } as S };
    });
  }, []);
  const { api, watch } = useApi(context, fail, update);

  const open = useCallback(async (): Promise<void> => {
    setPhase({ kind: 'opening' });
    reported.current = null;
    const early = await openingResult<S>();
    const result = early === null ? await api.get<S>('session') : watch(early);
    if (result.kind === 'ok') setPhase({ kind: 'open', session: result.data, opened: performance.now() });
    // Not an error, because the page can try again, and a payment may be in flight.
    else if (result.kind === 'unreachable' || endReason(result.code) === null)
      setPhase({ kind: 'stopped', problem: { kind: 'unreachable' } });
  }, [api, watch, reported]);

  // A layout effect: waiting for a paint only delays, because the HTML shows the skeleton and the session may be here.
  useLayoutEffect(() => {
    if (secret === undefined) fail({ kind: 'unauthorized' });
    else void open();
  }, [secret, open, fail]);

  useExpiry(context, { phase, setPhase, api, fail });
  return { phase, api, open, update, fail };
}

interface Expiring<S> extends Pick<OpenSession<S>, 'phase' | 'api' | 'fail'> {
  setPhase: (next: Phase<S>) => void;
}

/** Ends the flow when its session expires, but not while a payment or a change is in flight. */
function useExpiry<S extends PageSession>(
  { late: { part }, reported }: SessionContext,
  { phase, setPhase, api, fail }: Expiring<S>,
): void {
  const state = reported.current;
  useEffect(() => {
    if (phase.kind !== 'open' || part === undefined || reported.current !== 'form') return undefined;

    return part.watchExpiry<S>({
      ...phase,
      reported,
      readSession: () => api.get('session'),
      onUnreachable: (problem) => setPhase({ kind: 'stopped', problem }),
      onSession: (session) => setPhase({ kind: 'open', session, opened: performance.now() }),
      onExpired: fail,
    });
  }, [phase, setPhase, part, state, api, fail, reported]);
}

type Watch = <T>(result: ApiResult<T>, path?: string) => ApiResult<T>;

/** Wraps the API: any response may show that the session has ended. */
function useApi(
  { late, secret = '', reported }: SessionContext,
  fail: (problem: Problem) => void,
  update: UpdateSession,
): { api: Api; watch: Watch } {
  return useMemo(() => {
    // End the flow when a request finds that the session has ended. Not when it is read during a payment: if that is
    // refused, the outcome of the payment is still unknown.
    const watch: Watch = (result, path = 'session') => {
      const counts = reported.current !== 'processing' || !/^(attempts|session)/.test(path);
      const kind = counts && result.kind === 'refused' ? endReason(result.code) : null;
      if (kind !== null) fail({ kind, returnUrl: (result as { errors: Ended[] }).errors[0]?.returnUrl });
      return result;
    };
    const plain = async (): Promise<Api> =>
      (await late.load()).createApi(secret, (session) => update(() => session));
    const api: Api = {
      get: async (path) => watch(await (await plain()).get(path), path),
      async post<T>(path: string, body?: unknown, again?: true) {
        // Reading the session never ends a flow in this way either.
        return watch(await (await plain()).post<T>(path, body), again ? 'session' : path);
      },
    };
    return { api, watch };
  }, [late, secret, reported, fail, update]);
}

type Ended = { returnUrl?: string };

/** How the session ended according to a refusal, or null if it continues. */
function endReason(code: Refusal): 'expired' | 'canceled' | 'unauthorized' | null {
  return code === 'expired' || code === 'canceled' || code === 'unauthorized' ? code : null;
}

/** The business's name from the HTML, used until the session has loaded. */
export function shownName(): string {
  return document.querySelector('.brand-name')?.textContent ?? '';
}
