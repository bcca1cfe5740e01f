/** Layout of the six management pages: title, last result, content, and a button to finish. */
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PageSession } from '@shared/page.js';
import { Button } from '../design/button.js';
import { Notice } from '../design/notice.js';
import type { FlowProps } from '../shell/app.js';
import { eager } from '../shell/late.js';
import { Privacy } from '../shell/legal.js';
import { NextStep } from '../shell/next-step.js';
import { Statement } from '../shell/problem.js';
import { shellRest } from '../shell/rest.js';
import { useShell } from '../shell/shell.js';
import { start } from '../shell/start.js';
import { loadManageTexts, rest } from '../text/index.js';
import { Forms } from './forms.js';
import { useAction, useIsRunning, type Action, type Message } from './use-action.js';
// After the styles of every page, which `start` imports.
import '../design/rest.css';
import './manage.css';

/** Starts a management page. */
export function startManage<S extends PageSession>(Flow: FunctionComponent<FlowProps<S>>): void {
  void start(Flow, loadManageTexts, eager(shellRest));
}

/** The message after a successful action. */
export function useSuccessNotice(): [Message | null, (text: string) => void] {
  const [notice, setNotice] = useState<Message | null>(null);
  return [notice, (text) => setNotice({ text })];
}

/** Explains why an action failed, and takes the focus. */
export function Failure({ of: { failure } }: { of: Action }) {
  if (failure === null) return null;
  return (
    <Notice key={failure} tone="danger" focused>
      <p>{failure.text}</p>
    </Notice>
  );
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
  notice: Message | null;
  /** Actions whose failures are shown. */
  actions: readonly Action[];
  /** The payer has done what the page is for. */
  isDone?: boolean;
  /** What the payer can still do, below the button Done. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

export function ManagePage({ title, intro, notice, actions, isDone, more, children }: ManagePageProps) {
  const shell = useShell();
  const finishing = useAction();
  const [finished, setFinished] = useState(false);
  /** Messages from before a form was opened. They are no longer shown. */
  const [past, setPast] = useState<readonly unknown[]>([]);
  const isRunning = useIsRunning();
  const [open, countOpen] = useState(0);
  const [edited, countEdited] = useState(0);
  const all = [...actions, finishing];
  const failed = all.find(({ failure }) => failure !== null && !past.includes(failure));
  const shown = useRef<readonly unknown[]>([]);
  shown.current = [notice, ...all.map(({ failure }) => failure)];
  const [forms] = useState(() => ({ countOpen, countEdited, opened: () => setPast(shown.current) }));
  const isNew = notice !== null && !past.includes(notice);
  // Not while a form or a question is open, which has its own buttons, unless the form's input has just been saved.
  const mayFinish = open === 0 || (isNew && edited === 0);

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

  if (finished) return <AllSet hasChanged={notice !== null} />;
  return (
    <div class="card">
      <header>
        <h1>{title}</h1>
        {intro !== undefined && <p class="intro">{intro}</p>}
      </header>
      {failed !== undefined ? (
        <Failure of={failed} />
      ) : (
        isNew && (
          <Notice key={notice} tone="success" focused>
            <p>{notice.text}</p>
          </Notice>
        )
      )}
      <Forms.Provider value={forms}>
        {children}
        {mayFinish && (
          <Button
            kind={isDone === true ? 'primary' : 'secondary'}
            busy={finishing.busy}
            waiting={isRunning}
            onPress={finish}
          >
            {rest.common.done}
          </Button>
        )}
        {more}
      </Forms.Provider>
      {/* Otherwise, the footer names the operator. */}
      {shell.operator === undefined && <Privacy text={rest.common.privacyManage(shell.business)} />}
    </div>
  );
}

/** Replaces a page that the payer has finished. */
function AllSet({ hasChanged }: { hasChanged: boolean }) {
  const shell = useShell();
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
