/** Lists an account's scheduled payments. Upcoming ones can be canceled; past ones are shown with their result. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ScheduledPayment, type ScheduledPaymentsPageSession, UPCOMING_STATUSES } from '@shared/page.js';
import { AccountName } from '../../kit/design/account.js';
import { day } from '../../kit/format/date.js';
import { money } from '../../kit/format/money.js';
import { ConfirmedButton } from '../../kit/manage/confirm.js';
import { ManagePage, startManage } from '../../kit/manage/manage-page.js';
import { say } from '../../kit/manage/page.js';
import { ScheduledList } from '../../kit/manage/scheduled-list.js';
import { useAction, sendChange } from '../../kit/manage/use-action.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { manage } from '../../kit/text/index.js';

startManage(ScheduledPage);

function ScheduledPage({ session }: FlowProps<ScheduledPaymentsPageSession>) {
  const shell = useShell();
  const [confirming, setConfirming] = useState<string | null>(null);
  const action = useAction();
  const text = manage.scheduled;
  const { upcoming, past } = sortPayments(session.scheduled);

  const cancel = (payment: ScheduledPayment): void =>
    action.run<ScheduledPayment>(
      () => sendChange(shell, `scheduled/${encodeURIComponent(payment.id)}/cancel`, {}),
      (next) => {
        shell.update((current: ScheduledPaymentsPageSession) => ({
          ...current,
          scheduled: current.scheduled.map((item) => (item.id === next.id ? next : item)),
        }));
        setConfirming(null);
        say(text.canceled(money(next.amount)));
      },
    );

  const cancelable = (payment: ScheduledPayment): ComponentChildren =>
    payment.status === 'scheduled' && (
      <ConfirmedButton
        label={text.cancelOf(money(payment.amount), day(payment.date))}
        open={confirming === payment.id}
        onOpen={() => setConfirming(payment.id)}
        question={text.cancelQuestion(money(payment.amount), day(payment.date))}
        yes={text.cancelConfirm}
        no={text.keep}
        busy={action.busy}
        onYes={() => cancel(payment)}
        onNo={() => setConfirming(null)}
      >
        {text.cancel}
      </ConfirmedButton>
    );

  return (
    <ManagePage title={text.title} intro={<AccountName account={session.account} />} isDone>
      {upcoming.length === 0 && <p class="panel">{text.empty}</p>}
      <ScheduledList title={text.upcoming} payments={upcoming} actions={cancelable} />
      <ScheduledList title={text.past} payments={past} />
    </ManagePage>
  );
}

/** Splits payments into upcoming, soonest first, and past, latest first. */
function sortPayments(payments: readonly ScheduledPayment[]): {
  upcoming: ScheduledPayment[];
  past: ScheduledPayment[];
} {
  const ahead = ({ status }: ScheduledPayment): boolean => UPCOMING_STATUSES.includes(status);
  return {
    upcoming: payments.filter(ahead).sort((a, b) => a.date.localeCompare(b.date)),
    past: payments.filter((payment) => !ahead(payment)).sort((a, b) => b.date.localeCompare(a.date)),
  };
}
