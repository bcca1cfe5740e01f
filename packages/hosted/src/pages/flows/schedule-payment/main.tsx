/** Schedules one future payment for an account: amount, day, method. */
import { useState } from 'preact/hooks';
import type { ScheduledPayment, SchedulePageSession } from '@shared/page.js';
import { AccountName } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { Notice } from '../../kit/design/notice.js';
import { day } from '../../kit/format/date.js';
import { money } from '../../kit/format/money.js';
import { ManagePage, startManage, Unavailable } from '../../kit/manage/manage-page.js';
import { say } from '../../kit/manage/page.js';
import { chargesAhead, ScheduledList } from '../../kit/manage/scheduled-list.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { including } from '../../kit/source/saved-method.js';
import { manage } from '../../kit/text/index.js';
import { ScheduleForm } from './schedule-form.js';

startManage(SchedulePage);

/** `unlisted`: another tab, or a request without a response, has scheduled a payment that the page did not list. */
type Step = 'first' | 'made' | 'unlisted' | 'another';

function SchedulePage({ session }: FlowProps<SchedulePageSession>) {
  const shell = useShell();
  const [step, setStep] = useState<Step>(session.hasScheduled === true ? 'made' : 'first');
  const text = manage.schedule;
  const isDone = step === 'made' || step === 'unlisted';
  const canSchedule =
    session.unavailable === undefined && session.methods.length + session.savedMethods.length > 0;

  const showScheduled = (payment: ScheduledPayment): void => {
    shell.update((current: SchedulePageSession) => withPayment(current, payment));
    setStep('made');
    say(text.completeBody(money(payment.amount), day(payment.date, 'long')));
  };

  return (
    <ManagePage
      title={isDone ? manage.scheduled.title : text.title}
      intro={<AccountName account={session.account} />}
      isDone={isDone}
      more={
        canSchedule &&
        isDone && (
          <Button kind="secondary" onPress={() => setStep('another')}>
            {text.another}
          </Button>
        )
      }
    >
      {step === 'unlisted' && (
        <Notice tone="warning" focused>
          <p>{text.already}</p>
        </Notice>
      )}
      <Unavailable session={session} />
      {(session.enrollment !== undefined || session.enrolledByAnother) && (
        <div class="panel">
          <p class="status-line">
            <span class="dot on" />
            {manage.autopay.on}
          </p>
          {session.enrollment &&
            chargesAhead(session.enrollment).map((charge) => <p key={charge}>{charge}</p>)}
          {session.enrolledByAnother && <p>{manage.autopay.byAnother}</p>}
        </div>
      )}
      {canSchedule && !isDone && (
        <ScheduleForm
          session={session}
          onCancel={step === 'another' ? () => setStep('made') : undefined}
          onUnlisted={() => setStep('unlisted')}
          onDone={showScheduled}
        />
      )}
      <ScheduledList title={text.upcoming} payments={session.scheduled} />
    </ManagePage>
  );
}

function withPayment(session: SchedulePageSession, payment: ScheduledPayment): SchedulePageSession {
  const others = session.scheduled.filter(({ id }) => id !== payment.id);
  return {
    ...session,
    scheduled: [...others, payment],
    savedMethods: including(session.savedMethods, payment.method),
  };
}
