/** Paperless billing for one account: enroll, see where bills are sent, unenroll. */
import { useState } from 'preact/hooks';
import type { PaperlessPageSession } from '@shared/page.js';
import { AccountName } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { Icon } from '../../kit/design/icons.js';
import { ConfirmedButton } from '../../kit/manage/confirm.js';
import { Email } from '../../kit/manage/email.js';
import { ManagePage, startManage } from '../../kit/manage/manage-page.js';
import { say } from '../../kit/manage/page.js';
import { useAction } from '../../kit/manage/use-action.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { manage, t } from '../../kit/text/index.js';

startManage(PaperlessPage);

function PaperlessPage({ session }: FlowProps<PaperlessPageSession>) {
  const shell = useShell();
  const [confirming, setConfirming] = useState(false);
  const action = useAction();
  const text = manage.paperless;
  const { enrolled } = session;

  const change = (next: boolean): void =>
    action.run<{ enrolled: boolean }>(
      () => shell.api.post('paperless', { enrolled: next }),
      (result) => {
        shell.update((current: PaperlessPageSession) => ({ ...current, enrolled: result.enrolled }));
        setConfirming(false);
        say(result.enrolled ? text.enrolled : text.left);
      },
    );

  return (
    <ManagePage
      title={text.title}
      intro={text.intro}
      isDone={enrolled}
      more={
        enrolled && (
          <ConfirmedButton
            open={confirming}
            onOpen={() => setConfirming(true)}
            question={text.leaveQuestion}
            yes={text.leaveConfirm}
            no={text.keep}
            busy={action.busy}
            onYes={() => change(false)}
            onNo={() => setConfirming(false)}
          >
            {text.leave}
          </ConfirmedButton>
        )
      }
    >
      <div class="panel">
        <p class="status-line">
          <span class={`dot${enrolled ? ' on' : ''}`} />
          {enrolled ? text.on : text.off}
        </p>
        <p>
          <AccountName account={session.account} />
        </p>
        <div class="item">
          <span class="mark" aria-hidden="true">
            <Icon name="mail" />
          </span>
          <div class="item-text">
            <span>
              <Email of={session.customer?.emailAddress ?? ''} />
            </span>
            <small>{enrolled ? text.sentTo : text.willBeSentTo}</small>
          </div>
        </div>
      </div>
      {!enrolled && (
        <Button busy={action.busy} onPress={() => change(true)}>
          {action.busy ? t.common.working : text.enroll}
        </Button>
      )}
    </ManagePage>
  );
}
