/** The component around a flow: loads the session, talks to the SDK, and shows errors. */
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import { inert } from '@shared/inert.js';
import { MAX_BUSINESS_NAME } from '@shared/limits.js';
import type { FlowState } from '../../../messages.js';
import { isolate } from '../format/locale.js';
import { focusHeading, type Frame, type FrameStatus } from './frame.js';
import type { Late } from './late.js';
import { Legal } from './legal.js';
import type { ShellRest } from './rest.js';
import { unsettledAttempt } from './attempt.js';
import { outlives, setShell, type Reported, type Shell } from './shell.js';
import { trackTyping, useClosing, type Closing } from './use-closing.js';
import { shownName, useSession, type OpenSession } from './use-session.js';

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

export function App<S extends PageSession, P extends ShellRest>({
  Flow,
  late,
  frame,
  secret,
}: AppProps<S, P>) {
  const [, redraw] = useState({});
  useEffect(() => {
    late.onChange = frame.onChange = () => redraw({});
  }, [frame, late]);

  const reported = useRef<FlowState | null>(null);
  const [typed] = useState(trackTyping);
  const loaded = useSession<S>({ frame, late, secret, reported });
  const { phase } = loaded;
  const session = phase.kind === 'open' ? phase.session : undefined;
  const closing = useClosing(frame, late, reported, typed);

  // Starts after the form's first paint, to be ready before the payer sends the form.
  useEffect(() => {
    if (phase.kind !== 'opening') void late.load();
  }, [phase.kind, late]);

  const shell = useNewShell(session, loaded, closing, { frame, typed, reported, redraw });
  setShell(shell);
  useFirstReport(session, { frame, shell, reported, reply: closing.reply });

  const { part } = late;
  const isDrawn = phase.kind === 'open' || (phase.kind === 'stopped' && part !== undefined);
  useLayoutEffect(() => {
    if (isDrawn || late.isMissing === true) frame.drawn?.();
  });

  if (late.isMissing === true && part === undefined && phase.kind !== 'open')
    return <p role="alert">{brokenText()}</p>;
  if (phase.kind === 'open') {
    const isFree = reported.current === 'form' || reported.current === null;
    return (
      <OpenFlow
        session={phase.session}
        late={late}
        blocked={isFree && /silent|refused/.test(frame.status.kind) && frame.status}
        closing={closing}
      >
        <Flow key={phase.opened} session={phase.session} late={late} />
      </OpenFlow>
    );
  }
  if (phase.kind === 'opening' || part === undefined) return <Skeleton />;
  return <part.Stopped problem={phase.problem} onAgain={shell.reload} />;
}

interface ShellParts {
  frame: Frame;
  typed: Set<string>;
  reported: Reported;
  redraw: (change: object) => void;
}

/** Creates the shell for the flow of a session. */
function useNewShell(
  session: PageSession | undefined,
  { api, open, update, fail }: Pick<OpenSession<PageSession>, 'api' | 'open' | 'update' | 'fail'>,
  { postState, mayStart }: Closing,
  { frame, typed, reported, redraw }: ShellParts,
): Shell {
  const business = isolate(
    session === undefined ? shownName() : inert(session.business.name, MAX_BUSINESS_NAME),
  );
  return useMemo(
    () => ({
      api,
      get connected() {
        return frame.status.kind === 'connected';
      },
      business,
      operator: session?.business.operator,
      report(next) {
        if (reported.current !== null) redraw({});
        reported.current = next;
        postState(next);
      },
      completed(detail) {
        if (session !== undefined) frame.post({ type: 'completed', sessionId: session.id, detail });
      },
      mayStart,
      saved: () => typed.clear(),
      update,
      reload: () => void open(),
      close: (reason, next) => frame.post({ type: 'close-request', reason, next }),
      fail,
    }),
    [api, frame, business, fail, open, update, session, postState, mayStart, typed, reported, redraw],
  );
}

interface FirstReportProps {
  frame: Frame;
  shell: Shell;
  reported: Reported;
  reply: () => void;
}

/** Reports the state of a new session. Runs before the flow's own effects, which may report that it is done. */
function useFirstReport(
  session: PageSession | undefined,
  { frame, shell, reported, reply }: FirstReportProps,
): void {
  const now = session?.now;
  useEffect(() => {
    // The heading that had the focus belonged to a skeleton, which the flow has replaced.
    if (frame.hasFocus) focusHeading();
  }, [now, frame]);
  useLayoutEffect(() => {
    // Actions that change the session report their own state.
    if (session === undefined || reported.current !== null) return;
    if (unsettledAttempt(session) !== undefined) shell.report('processing');
    else if (!outlives(session)) shell.report('form');
    reply();
  }, [session, shell, reported, reply]);
}

interface OpenFlowProps {
  session: PageSession;
  late: Late<ShellRest>;
  /** Set if the merchant's page may not show the flow. */
  blocked: FrameStatus | false;
  closing: Closing;
  children: ComponentChildren;
}

/** Shows a flow with its footer, and a dialog when the payer leaves. */
function OpenFlow({ session, late: { part }, blocked, closing, children }: OpenFlowProps) {
  return (
    <>
      {blocked && part && <part.Blocked status={blocked} session={session} />}
      <div class="flow" hidden={blocked !== false}>
        {children}
        <Legal business={session.business} />
        {closing.isAsking && part && <part.Leaving pays={session.flow === 'payment'} {...closing} />}
      </div>
    </>
  );
}

/** The text from the HTML for a script that fails to load. */
export const brokenText = (): string => document.documentElement.dataset['broken'] ?? '';

const skeleton = document.querySelector('.skeleton') as Element;

/** Shows the skeleton from the HTML again. */
export function Skeleton() {
  return (
    <>
      <h1 class="visually-hidden">{document.title}</h1>
      <div ref={(place) => place?.append(skeleton)} />
    </>
  );
}
