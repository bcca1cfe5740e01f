/** The component around a flow: shows it with its footer, or why it can't be shown. */
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import { focusHeading } from './frame.js';
import type { Late } from './late.js';
import { Legal } from './legal.js';
import type { ShellRest } from './rest.js';
import { useShell } from './shell.js';

export interface FlowProps<S extends PageSession> {
  session: S;
}

interface AppProps<S extends PageSession> {
  Flow: ComponentType<FlowProps<S>>;
  late: Late<ShellRest>;
}

export function App<S extends PageSession>({ Flow, late }: AppProps<S>) {
  const shell = useShell();
  const { phase, frame, session } = shell;
  const [, redraw] = useState({});
  useLayoutEffect(() => {
    shell.onChange = () => redraw({});
  }, [shell]);

  // Starts after the form's first paint, to be ready before the payer sends the form.
  useEffect(() => {
    if (phase.kind !== 'opening') void late.load();
  }, [phase.kind, late]);

  const opened = phase.kind === 'open' && phase.opened;
  useEffect(() => {
    // The heading that had the focus belonged to a skeleton, which the flow has replaced.
    if (frame.hasFocus) focusHeading();
  }, [opened, frame]);

  const { part } = late;
  const isDrawn = phase.kind === 'open' || (phase.kind === 'stopped' && part !== undefined);
  useLayoutEffect(() => {
    if (isDrawn || late.isMissing === true) frame.drawn?.();
  });

  if (late.isMissing === true && part === undefined && phase.kind !== 'open')
    return <p role="alert">{brokenText()}</p>;
  if (session) {
    const isFree = shell.reported === 'form' || shell.reported === null;
    const { status } = frame;
    const blocked = isFree && (status.kind === 'silent' || status.kind === 'refused') && status;
    return (
      <>
        {blocked && part && <part.Blocked problem={blocked} session={session} />}
        <div class="flow" hidden={blocked !== false}>
          <Flow key={opened} session={session as S} />
          <Legal />
          {shell.isAsking && part && <part.Leaving />}
        </div>
      </>
    );
  }
  if (phase.kind !== 'stopped' || part === undefined) return <Skeleton />;
  return <part.Stopped problem={phase.problem} />;
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
