/** Layout of the six management pages: title, last result, and the way out. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../design/button.js';
import { Notice } from '../design/notice.js';
import { Privacy } from '../design/privacy.js';
import { Statement } from '../shell/problem.js';
import { useShell } from '../shell/shell.js';
import { manage, rest } from '../text/index.js';
import { Begun } from './begun.js';
import { Confirm } from './confirm.js';
import '../design/rest.css';
import './manage.css';
import { Opener } from './opener.js';
import { useAction, useIsRunning, type Action } from './use-action.js';

/** The message after an action. `count` distinguishes two equal messages. */
export interface SuccessNotice {
  text: string;
  count: number;
}

export function useSuccessNotice(): [SuccessNotice | null, (text: string) => void] {
  const [notice, setNotice] = useState<SuccessNotice | null>(null);
  return [notice, (text) => setNotice((last) => ({ text, count: (last?.count ?? 0) + 1 }))];
}

/** Why an action failed. Takes the focus. */
export function Failure({ of: { failure } }: { of: Action }) {
  if (failure === null) return null;
  return (
    <Notice key={failure.count} tone="danger" focused>
      <p>{failure.text}</p>
    </Notice>
  );
}

/** Explains why payment methods can't be added or used, if so. */
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
  notice: SuccessNotice | null;
  /** Actions whose failures are shown. */
  actions: readonly Action[];
  children: ComponentChildren;
}

export function ManagePage({ title, intro, notice, actions, children }: ManagePageProps) {
  const shell = useShell();
  const finishing = useAction();
  const [finished, setFinished] = useState(false);
  const [leaving, setLeaving] = useState(false);
  /** The last message when a form was opened. */
  const [past, setPast] = useState<readonly unknown[]>([]);
  const isRunning = useIsRunning();
  const text = manage.leave;
  // The input has been sent.
  useEffect(() => setLeaving(false), [notice]);
  const all = [...actions, finishing];
  const failed = all.find(({ failure }) => failure !== null && !past.includes(failure));
  const shown = useRef<readonly unknown[]>([]);
  shown.current = [notice, ...all.map(({ failure }) => failure)];
  const [begun] = useState(() => ({ current: false, opened: () => setPast(shown.current) }));

  const finish = (): void =>
    finishing.run(
      () => shell.api.post<{ status: string }>('done'),
      ({ status }) => {
        setFinished(true);
        shell.completed({ Status: status, Charges: [] });
        shell.report('done');
        shell.close('done');
      },
    );

  if (finished) {
    return (
      <Statement
        icon="check"
        tone="success"
        title={rest.common.allSet}
        body={notice === null ? text.nothingChanged : rest.common.allSetBody}
      >
        {!shell.framed && <p>{rest.common.youMayClose}</p>}
        <Button kind="secondary" onPress={shell.reload}>
          {rest.common.backToManage}
        </Button>
      </Statement>
    );
  }

  return (
    <div class="card">
      <header>
        <h1>{title}</h1>
        {intro !== undefined && <p class="intro">{intro}</p>}
      </header>
      {failed !== undefined ? (
        <Failure of={failed} />
      ) : (
        notice !== null &&
        !past.includes(notice) && (
          <Notice key={`done-${notice.count}`} tone="success" focused>
            <p>{notice.text}</p>
          </Notice>
        )
      )}
      <Begun.Provider value={begun}>
        {children}
        <Opener
          open={leaving}
          button={
            <Button
              kind="secondary"
              busy={finishing.busy}
              waiting={isRunning}
              onPress={() => (begun.current ? setLeaving(true) : finish())}
            >
              {rest.common.done}
            </Button>
          }
        >
          <Confirm
            question={text.question}
            yes={text.yes}
            no={text.no}
            busy={finishing.busy}
            onYes={finish}
            onNo={() => setLeaving(false)}
          />
        </Opener>
      </Begun.Provider>
      <Privacy text={rest.common.privacyManage(shell.business)} />
    </div>
  );
}
