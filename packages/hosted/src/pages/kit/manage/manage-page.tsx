/** Layout of the six management pages: title, last result, content, and a button to finish. */
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import { Button } from '../design/button.js';
import { Notice } from '../design/notice.js';
import type { FlowProps } from '../shell/app.js';
import { eager } from '../shell/late.js';
import { legalOfPage, Privacy } from '../shell/legal.js';
import { NextStep } from '../shell/next-step.js';
import { Statement } from '../shell/problem.js';
import { shellRest } from '../shell/rest.js';
import { useShell } from '../shell/shell.js';
import { start } from '../shell/start.js';
import { rest } from '../text/index.js';
import { MessageNotice, page, usePage } from './page.js';
import { useAction } from './use-action.js';
// After the styles of every page, which `start` imports.
import '../design/rest.css';
import './manage.css';

/** Starts a management page. */
export function startManage<S extends PageSession>(Flow: FunctionComponent<FlowProps<S>>): void {
  void start(Flow, eager(shellRest));
}

/** Explains why payment methods can't be added or used. Renders nothing if they can. */
export function Unavailable({ session }: { session: { unavailable?: string; methods: readonly string[] } }) {
  if (session.unavailable === undefined && session.methods.length > 0) return null;
  return (
    <Notice tone="warning">
      <p>{session.unavailable === undefined ? rest.method.none : rest.failure.unavailable}</p>
    </Notice>
  );
}

interface ManagePageProps {
  title: string;
  intro?: ComponentChildren;
  /** The payer has done what the page is for. */
  isDone?: boolean;
  /** What the payer can still do, below the button Done. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

export function ManagePage({ title, intro, isDone, more, children }: ManagePageProps) {
  const shell = useShell();
  const finishing = useAction();
  const [finished, setFinished] = useState(false);
  const { message, open, edited } = usePage();
  // Not while a form or a question is open, which has its own buttons, unless the form's input has just been saved.
  const mayFinish = open === 0 || (message?.tone === 'success' && edited === 0);

  const finish = (): void =>
    finishing.run(
      () => shell.api.post<{ status: string }>('done'),
      ({ status }) => {
        setFinished(true);
        shell.completed({ Status: status, Charges: [] });
        shell.close('done');
        return 'done';
      },
    );

  if (finished) return <AllSet />;
  return (
    <div class="card">
      <header>
        <h1>{title}</h1>
        {intro !== undefined && <p class="intro">{intro}</p>}
      </header>
      <MessageNotice message={message} />
      {children}
      {mayFinish && (
        <Button
          kind={isDone === true ? 'primary' : 'secondary'}
          busy={finishing.busy}
          waiting={shell.reported === 'processing'}
          onPress={finish}
        >
          {rest.common.done}
        </Button>
      )}
      {more}
      {/* Otherwise, the footer names the operator. */}
      {legalOfPage().operator === undefined && <Privacy text={rest.common.privacyManage(shell.business)} />}
    </div>
  );
}

/** Replaces a page that the payer has finished. */
function AllSet() {
  const shell = useShell();
  const { hasChanged } = page;
  const { connected } = shell;
  const { allSet, allSetBody, backToManage, goBack } = rest.common;
  return (
    <Statement icon="check" tone="success" title={allSet} body={hasChanged ? allSetBody : undefined}>
      {!connected && <NextStep />}
      {(connected || hasChanged) && (
        <Button kind="secondary" onPress={() => void shell.reload()}>
          {hasChanged ? backToManage : goBack}
        </Button>
      )}
    </Statement>
  );
}
