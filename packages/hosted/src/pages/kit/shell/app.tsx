/** The page around a flow: loads the session, watches its expiry, talks to the frame, and shows errors. */
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageSession } from '../../../../../service/src/shared/page.js';
import { STATE_MS, type FlowState } from '../../../messages.js';
import { inert } from '../../../../../service/src/shared/inert.js';
import { MAX_BUSINESS_NAME } from '../../../../../service/src/shared/limits.js';
import { isolate } from '../format/isolate.js';
import { t } from '../text/index.js';
import { openingAnswer, type Answer, type Api, type Refusal } from './api.js';
import { focusHeading } from './focus.js';
import type { Frame } from './frame.js';
import type { Late } from './late.js';
import type { ShellRest } from './rest.js';
import { unsettledAttempt } from './secret.js';
import { Legal } from './legal.js';
import { surround, type Problem, type Shell } from './shell.js';

export interface FlowProps<S extends PageSession, P = unknown> {
  session: S;
  late: Late<P>;
}

interface AppProps<S extends PageSession, P extends ShellRest> {
  Flow: ComponentType<FlowProps<S, P>>;
  late: Late<P>;
  frame: Frame;
  secret: string | undefined;
}

type Phase<S> =
  | { kind: 'opening' }
  | { kind: 'open'; session: S; opened: number }
  | { kind: 'stopped'; problem: Problem };

/** The outcome of a payment is shown even after its session expires. */
const OUTLIVES = /^(Succeeded|Processing|Failed)$/;

export function App<S extends PageSession, P extends ShellRest>({
  Flow,
  late,
  frame,
  secret,
}: AppProps<S, P>) {
  const [phase, setPhase] = useState<Phase<S>>(
    secret === undefined ? { kind: 'stopped', problem: { kind: 'unauthorized' } } : { kind: 'opening' },
  );
  const [, redraw] = useState(0);
  /** Null until the session is read. Nothing is known about a payment before that. */
  const state = useRef<FlowState | null>(null);
  const closing = useRef(false);
  /** Asks the payer whether to leave and lose what was typed. */
  const [confirmingClose, setConfirmingClose] = useState(false);
  const [typed] = useState(trackTyping);
  const businessName = isolate(
    phase.kind === 'open' ? inert(phase.session.business.name, MAX_BUSINESS_NAME) : shownName(),
  );

  const fail = useCallback(
    (problem: Problem): void => {
      setPhase({ kind: 'stopped', problem });
      if (problem.kind === 'expired') frame.tell({ type: 'expired' });
      else {
        void late.read().then(({ problemText }) => {
          frame.tell({ type: 'error', message: problemText(problem, shownName()).title });
        });
      }
    },
    [frame, late],
  );

  // A session that has ended ends the flow, whichever request notices. During a payment, however, a refused status request says
  // nothing about the payment.
  const watch = useCallback(
    <T,>(answer: Answer<T>, path = 'session'): Answer<T> => {
      const says = state.current !== 'processing' || path === 'pay';
      if (says && answer.kind === 'refused' && hasEnded(answer.code)) {
        fail({ kind: answer.code, returnUrl: answer.errors[0]?.returnUrl });
      }
      return answer;
    },
    [fail],
  );
  const api = useMemo((): Api => {
    const plain = async (): Promise<Api> => (await late.read()).createApi(secret ?? '');
    return {
      get: async (path) => watch(await (await plain()).get(path), path),
      async post<T>(path: string, body?: unknown) {
        const answer = await (await plain()).post<T>(path, body);
        if (answer.kind === 'ok') typed.clear();
        return watch(answer, path);
      },
    };
  }, [secret, watch, late, typed]);

  const open = useCallback(async (): Promise<void> => {
    setPhase({ kind: 'opening' });
    state.current = null;
    const early = await openingAnswer<S>();
    const answer = early === null ? await api.get<S>('session') : watch(early);
    if (answer.kind === 'ok') setPhase({ kind: 'open', session: answer.data, opened: performance.now() });
    else if (answer.kind === 'unreachable') setPhase({ kind: 'stopped', problem: { kind: 'unreachable' } });
    else if (!hasEnded(answer.code)) fail({ kind: 'broken' });
  }, [api, watch, fail]);

  useEffect(() => {
    if (secret === undefined) fail({ kind: 'unauthorized' });
    else void open();
    late.onChange = () => redraw((count) => count + 1);
    return frame.subscribe(late.onChange);
  }, [secret, frame, open, fail, late]);

  // Loads after the first paint of a form, so that it is ready before the form can be sent.
  useEffect(() => {
    if (phase.kind !== 'opening') void late.read();
  }, [phase.kind, late]);

  const tellState = useCallback(
    (next: FlowState): void => {
      frame.tell({ type: 'state', state: next, ...late.part?.wordsOf(next) });
    },
    [frame, late],
  );

  const answerClose = useCallback((): void => {
    const { closing: request } = frame;
    if (request === undefined || state.current === null) return;
    delete frame.closing;
    // Too late: the flow has ended, or continues and must be able to pay.
    if (performance.now() - request.at > STATE_MS / 2) return;
    if (request.by === 'payer' && state.current === 'form' && late.part !== undefined && holdsText(typed)) {
      setConfirmingClose(true);
      return tellState('asking');
    }
    tellState(state.current);
    closing.current = state.current !== 'processing';
  }, [frame, tellState, late, typed]);

  // Runs in the rendering task: an effect waits for a paint, and the frame may be closed right away.
  useLayoutEffect(() => {
    frame.onClose = answerClose;
  }, [frame, answerClose]);

  const { part } = late;
  const isDrawn = phase.kind === 'open' || (phase.kind === 'stopped' && part !== undefined);
  useLayoutEffect(() => {
    if (isDrawn || late.isMissing === true) frame.drawn?.();
  });

  const session = phase.kind === 'open' ? phase.session : undefined;
  useEffect(() => {
    // The focused heading belonged to the loading page.
    if (session !== undefined && frame.hasFocus) focusHeading();
  }, [session, frame]);
  const shell = useMemo(
    (): Shell => ({
      api,
      framed: frame.status.kind !== 'top-level',
      business: businessName,
      report(next) {
        state.current = next;
        tellState(next);
      },
      completed(detail) {
        if (session !== undefined) frame.tell({ type: 'completed', sessionId: session.id, detail });
      },
      mayStart: () => !closing.current,
      reload: () => void open(),
      close: (reason, next) => frame.tell({ type: 'close-request', reason, next }),
      fail,
    }),
    [api, frame, businessName, fail, open, session, tellState],
  );

  surround(shell);

  // Runs before the flow's own effects, which know better when the flow is done.
  useLayoutEffect(() => {
    if (session === undefined) return;
    if (unsettledAttempt(session) !== undefined) shell.report('processing');
    else if (!OUTLIVES.test(session.status)) shell.report('form');
    answerClose();
  }, [session, shell, answerClose]);

  useEffect(() => {
    if (phase.kind !== 'open' || part === undefined) return undefined;
    const { session, opened } = phase;
    const end = (): Promise<void> =>
      part.askEnded(session, {
        ask: () => api.get<S>('session'),
        onSilence(problem) {
          state.current = null;
          setPhase({ kind: 'stopped', problem });
        },
        onAnswer(answer, problem) {
          if (OUTLIVES.test(answer.status))
            setPhase({ kind: 'open', session: answer, opened: performance.now() });
          else fail(problem);
        },
      });
    return part.keepTime({
      session,
      opened,
      isForm: () => state.current === 'form',
      onEnd: () => void (OUTLIVES.test(session.status) || end()),
    });
  }, [phase, part, api, fail]);

  if (late.isMissing === true && part === undefined && phase.kind !== 'open')
    return <p role="alert">{brokenText()}</p>;
  if (!isDrawn) return <Opening />;
  if (phase.kind === 'stopped') {
    return (
      part && (
        <part.Stopped
          problem={phase.problem}
          business={businessName}
          frame={frame}
          onAgain={() => void open()}
        />
      )
    );
  }

  const blocked = state.current === 'form' || state.current === null ? blockedBy(frame) : null;
  return (
    <>
      {blocked !== null && part && <part.Blocked problem={blocked} business={businessName} />}
      <div class="flow" hidden={blocked !== null}>
        <Flow key={phase.opened} session={phase.session} late={late} />
        <Legal business={phase.session.business} />
        {confirmingClose && part && (
          <part.Leaving
            pays={phase.session.flow === 'payment'}
            onStay={() => setConfirmingClose(false)}
            onLeave={() => {
              typed.clear();
              setConfirmingClose(false);
              frame.tell({ type: 'close-request', reason: 'cancel' });
            }}
          />
        )}
      </div>
    </>
  );
}

function hasEnded(code: Refusal): code is 'expired' | 'canceled' | 'unauthorized' {
  return /^(expired|canceled|unauthorized)$/.test(code);
}

/** Collects the fields that the payer types in from now on. */
function trackTyping(): Set<HTMLInputElement> {
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

function blockedBy({ status }: Frame): Problem | null {
  if (status.kind === 'silent') return { kind: 'silentFrame' };
  return status.kind === 'refused' ? { kind: 'notAllowed', origin: status.origin } : null;
}

/** Text in the HTML for when the rest of the page fails to load. */
export const brokenText = (): string => document.documentElement.dataset['broken'] ?? '';

/** The name in the HTML, used until the session has loaded. */
function shownName(): string {
  return document.querySelector('.brand-name')?.textContent ?? '';
}

export function Opening() {
  return (
    <div class="skeleton" role="status" aria-label={t.common.working}>
      <h1 class="visually-hidden">{document.title}</h1>
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}
