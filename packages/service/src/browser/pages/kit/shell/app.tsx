/** The page around a flow: asks for its session, keeps its time, talks to the frame, and shows what stops it. */
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageSession } from '../../../../shared/page.js';
import { STATE_MS, type FlowState } from '../../../messages.js';
import { Button, LinkButton } from '../design/button.js';
import { fieldId } from '../design/form.js';
import { Icon } from '../design/icons.js';
import { webUrl } from '../design/web-url.js';
import { inert } from '../../../../shared/inert.js';
import { MAX_BUSINESS_NAME } from '../../../../shared/limits.js';
import { isolate } from '../format/isolate.js';
import { t } from '../text/index.js';
import { createApi, openingAnswer, type Answer, type Api, type Refusal } from './api.js';
import { focusHeading } from './focus.js';
import type { Frame } from './frame.js';
import { problemText, Statement } from './problem.js';
import { unsettledAttempt } from './secret.js';
import { ShellContext, type Problem, type Shell } from './shell.js';
import { useTimeLeft } from './time-left.js';

export interface FlowProps<S extends PageSession> {
  session: S;
}

interface AppProps<S extends PageSession> {
  Flow: ComponentType<FlowProps<S>>;
  frame: Frame;
  secret: string | undefined;
}

type Phase<S> =
  | { kind: 'opening' }
  | { kind: 'open'; session: S; opened: number }
  | { kind: 'stopped'; problem: Problem };

/** Until a service that could not be reached is asked again. */
const AGAIN_MS = 5_000;

/** What became of a payment is shown after its session's time too. */
const OUTLIVES = /^(Succeeded|Processing|Failed)$/;

export function App<S extends PageSession>({ Flow, frame, secret }: AppProps<S>) {
  const [phase, setPhase] = useState<Phase<S>>(
    secret === undefined ? { kind: 'stopped', problem: { kind: 'unauthorized' } } : { kind: 'opening' },
  );
  const [, redraw] = useState(0);
  /** Null until the session is read: nothing can be said of a payment before that. */
  const state = useRef<FlowState | null>(null);
  const closing = useRef(false);
  const [asked, setAsked] = useState(false);
  const businessName = isolate(
    phase.kind === 'open' ? inert(phase.session.business.name, MAX_BUSINESS_NAME) : shownName(),
  );

  const fail = useCallback(
    (problem: Problem): void => {
      setPhase({ kind: 'stopped', problem });
      if (problem.kind === 'expired') frame.tell({ type: 'expired' });
      else frame.tell({ type: 'error', message: problemText(problem, shownName()).title });
    },
    [frame],
  );

  // A session that has ended ends the flow, whichever request finds out. But where a payment is in flight, a question
  // that is refused says nothing of it.
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
    const plain = createApi(secret ?? '');
    return {
      get: async (path) => watch(await plain.get(path), path),
      post: async (path, body) => watch(await plain.post(path, body), path),
    };
  }, [secret, watch]);

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
    if (secret === undefined) frame.tell({ type: 'error', message: t.problem.unauthorized.title });
    else void open();
    return frame.subscribe(() => redraw((count) => count + 1));
  }, [secret, frame, open]);

  const answerClose = useCallback((): void => {
    const { closeAskedAt } = frame;
    if (closeAskedAt === undefined || state.current === null) return;
    delete frame.closeAskedAt;
    // Too late to be heard: the flow around is over, or goes on and must be able to pay.
    if (performance.now() - closeAskedAt > STATE_MS / 2) return;
    frame.tell({ type: 'state', state: state.current });
    closing.current = state.current !== 'processing';
  }, [frame]);

  // In the task that draws: an effect waits for a paint, and the frame may be closed at first sight.
  useLayoutEffect(() => {
    frame.holdsBack = () => {
      const asks = state.current === 'form' && !asked && holdsNumber();
      if (asks) setAsked(true);
      return asks;
    };
  }, [frame, asked]);
  useLayoutEffect(() => {
    frame.onClose = answerClose;
  }, [frame, answerClose]);

  useLayoutEffect(() => {
    if (phase.kind !== 'opening') frame.drawn?.();
  }, [phase, frame]);

  const session = phase.kind === 'open' ? phase.session : undefined;
  useEffect(() => {
    // The heading that had the focus so far was that of the page while it opened.
    if (session !== undefined && frame.hasFocus) focusHeading();
  }, [session, frame]);
  const shell = useMemo(
    (): Shell => ({
      api,
      framed: frame.status.kind !== 'top-level',
      business: businessName,
      report(next) {
        state.current = next;
        frame.tell({ type: 'state', state: next });
      },
      completed(detail) {
        if (session !== undefined) frame.tell({ type: 'completed', sessionId: session.id, detail });
      },
      mayStart: () => !closing.current,
      reload: () => void open(),
      close: (reason) => frame.tell({ type: 'close-request', reason }),
      fail,
    }),
    [api, frame, businessName, fail, open, session],
  );

  // Before the flow's own effects, which know better when it is done.
  useLayoutEffect(() => {
    if (session === undefined) return;
    shell.report(unsettledAttempt(session) === undefined ? 'form' : 'processing');
    answerClose();
  }, [session, shell, answerClose]);

  /** Only the service knows: it may have been paid from elsewhere. */
  const end = async (): Promise<void> => {
    const returnUrl = session?.flow === 'payment' ? session.returnUrl : undefined;
    const problem: Problem = { kind: 'expired', returnUrl };
    let answer = await api.get<S>('session');
    while (answer.kind === 'unreachable') {
      // Its time is over, but whether it was paid is not known: no verdict is told yet.
      state.current = null;
      setPhase({ kind: 'stopped', problem });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      answer = await api.get<S>('session');
    }
    if (answer.kind === 'refused') return;
    if (OUTLIVES.test(answer.data.status)) {
      setPhase({ kind: 'open', session: answer.data, opened: performance.now() });
    } else fail(problem);
  };
  const minutesLeft = useTimeLeft(session, () => {
    if (session !== undefined && state.current === 'form' && !OUTLIVES.test(session.status)) void end();
  });

  useEffect(() => tellTime(state.current === 'form' ? minutesLeft : null));

  if (phase.kind === 'opening') return <Opening />;
  if (phase.kind === 'stopped') {
    const again = phase.problem.kind === 'unreachable' || phase.problem.kind === 'broken';
    const back = 'returnUrl' in phase.problem ? webUrl(phase.problem.returnUrl) : null;
    return (
      <Statement {...problemText(phase.problem, businessName)}>
        {again && <Button onPress={() => void open()}>{t.common.tryAgain}</Button>}
        {back !== null && (
          <LinkButton href={back} kind="secondary">
            <Icon name="back" />
            {t.common.backTo(businessName)}
          </LinkButton>
        )}
        {phase.problem.kind === 'expired' && mayRenew() && (
          <Button onPress={() => frame.tell({ type: 'close-request', reason: 'renew' })}>
            {t.common.startAgain}
          </Button>
        )}
        {frame.status.kind === 'connected' && !again && (
          <Button kind="secondary" onPress={() => frame.tell({ type: 'close-request', reason: 'cancel' })}>
            {t.common.close}
          </Button>
        )}
      </Statement>
    );
  }

  const blocked = state.current === 'form' || state.current === null ? blockedBy(frame) : null;
  return (
    <ShellContext.Provider value={shell}>
      {blocked !== null && <Statement {...problemText(blocked, businessName)} />}
      <div class="flow" hidden={blocked !== null}>
        {phase.session.testMode && (
          <p class="test-mode">
            <b>{t.common.testMode}</b> <span>{t.common.testModeHint}</span>
          </p>
        )}
        <Flow key={phase.opened} session={phase.session} />
        {asked && (
          <p class="asked" role="alert">
            {t.common.escapeAgain}
          </p>
        )}
      </div>
    </ShellContext.Provider>
  );
}

/** The page around the frame said that it can get a new session. */
const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

function hasEnded(code: Refusal): code is 'expired' | 'canceled' | 'unauthorized' {
  return code === 'expired' || code === 'canceled' || code === 'unauthorized';
}

/** The number of a card or an account is typed, which nobody likes to do twice. */
function holdsNumber(): boolean {
  return ['cardNumber', 'accountNumber'].some(
    (name) => document.querySelector<HTMLInputElement>(`#${fieldId(name)}`)?.value,
  );
}

function blockedBy({ status }: Frame): Problem | null {
  if (status.kind === 'silent') return { kind: 'silentFrame' };
  return status.kind === 'refused' ? { kind: 'notAllowed', origin: status.origin } : null;
}

/**
 * In the line of the header that names the flow until time is short: it stays in view and moves nothing. The line is
 * there before the words, as a region that comes with them is not announced everywhere.
 */
function tellTime(minutes: number | null): void {
  const line = document.querySelector<HTMLElement>('.brand-flow');
  if (line === null) return;
  const flow = (line.dataset['flow'] ??= line.textContent ?? '');
  const words = minutes === null ? flow : t.common.endsSoon(minutes);
  line.classList.toggle('ends-soon', minutes !== null);
  if (line.textContent !== words) line.textContent = words;
}

/** The name that the HTML came with, for as long as there is no session. */
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
