/** Scheduling one future payment of an account: amount, day, method. */
import { useState } from 'preact/hooks';
import type {
  ScheduledPayment,
  SchedulePageSession,
  ScheduleRequest,
  SavedMethod,
} from '../../../wire/page.js';
import { accountName } from '../design/account.js';
import { Button } from '../design/button.js';
import { ErrorSummary, TextField } from '../design/field.js';
import { useForm, type Problems, type Values } from '../design/form.js';
import { day } from '../format/date.js';
import { amountText, money, parseAmount } from '../format/money.js';
import { Failure, ManagePage, Unavailable, useTold } from '../manage/manage-page.js';
import { ScheduledLine } from '../manage/scheduled-line.js';
import { useAction, useRequestId } from '../manage/use-action.js';
import { showIn, useMethod } from '../manage/use-method.js';
import type { FlowProps } from '../shell/app.js';
import { useShell } from '../shell/shell.js';
import { CHOICE, checkSource, firstChoice } from '../source/source-form.js';
import { SourceFields } from '../source/source-fields.js';
import { manage, t } from '../text/index.js';

const LARGEST = 99_999_999;

export function SchedulePage({ session }: FlowProps<SchedulePageSession>) {
  const [scheduled, setScheduled] = useState<readonly ScheduledPayment[]>(session.scheduled);
  const [saved, setSaved] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [made, setMade] = useState<ScheduledPayment | null>(null);
  const [told, tell] = useTold();
  const text = manage.schedule;
  const canSchedule = session.unavailable === undefined && session.methods.length + saved.length > 0;

  return (
    <ManagePage title={text.title} intro={accountName(session.account)} told={told} actions={[]}>
      <Unavailable session={session} />
      {!canSchedule ? null : made === null ? (
        <ScheduleForm
          session={session}
          saved={saved}
          onDone={(payment) => {
            setMade(payment);
            setScheduled((before) => [...before.filter(({ id }) => id !== payment.id), payment]);
            setSaved((before) =>
              before.some(({ id }) => id === payment.method.id) ? before : [...before, payment.method],
            );
            tell(`${text.complete}. ${text.completeBody(money(payment.amount), day(payment.date, 'long'))}`);
          }}
        />
      ) : (
        <Button kind="secondary" onPress={() => setMade(null)}>
          {text.another}
        </Button>
      )}
      {scheduled.length > 0 && (
        <section>
          <h2>{text.upcoming}</h2>
          <ul class="items">
            {scheduled.map((payment) => (
              <li key={payment.id}>
                <ScheduledLine payment={payment} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </ManagePage>
  );
}

interface ScheduleFormProps {
  session: SchedulePageSession;
  saved: readonly SavedMethod[];
  onDone: (payment: ScheduledPayment) => void;
}

function ScheduleForm({ session, saved, onDone }: ScheduleFormProps) {
  const { api, business } = useShell();
  const action = useAction();
  const requestId = useRequestId();
  const balance = session.account.balance;
  const [initial] = useState((): Values => ({
    amount: balance === undefined || balance <= 0 ? '' : amountText(balance),
    date: '',
    [CHOICE]: firstChoice(session.methods, saved),
  }));
  const form = useForm(initial, (values): Problems => ({
    ...checkSchedule(values, session),
    ...checkSource(values, session.now),
  }));
  const method = useMethod(form, session.now);
  const amount = form.field('amount');
  const cents = parseAmount(amount.value);
  const text = manage.schedule;

  const submit = (): void => {
    if (action.busy || !form.submit()) return;
    action.run<ScheduledPayment>(
      async () => {
        const chosen = await method.resolve();
        if (chosen.kind !== 'ok') return chosen;
        const asked = {
          amount: parseAmount(form.values['amount'] ?? '') ?? 0,
          date: form.values['date'] ?? '',
          methodId: chosen.data.id,
        };
        const request: ScheduleRequest = { requestId: requestId.of(asked), ...asked };
        const answer = await api.post<ScheduledPayment>('schedule', request);
        if (answer.kind === 'refused') requestId.renew();
        return answer;
      },
      onDone,
      showIn(form),
    );
  };

  return (
    <form
      class="card plain"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Failure of={action} />
      <ErrorSummary state={form.state} />
      <div class="pair">
        <TextField
          {...amount}
          onLeave={() => {
            if (cents !== null) amount.onValue(amountText(cents));
            amount.onLeave();
          }}
          label={text.amount}
          hint={balance === undefined ? undefined : text.balanceHint(money(balance))}
          prefix="$"
          inputMode="decimal"
          autoComplete="off"
          disabled={action.busy}
        />
        <TextField
          {...form.field('date')}
          type="date"
          label={text.date}
          hint={text.dateHint(day(session.earliest), day(session.latest))}
          min={session.earliest}
          max={session.latest}
          autoComplete="off"
          disabled={action.busy}
        />
      </div>
      <SourceFields form={form} methods={session.methods} saved={saved} disabled={action.busy} />
      <p class="terms">{text.terms(business)}</p>
      <Button busy={action.busy}>
        {action.busy ? t.common.working : cents === null ? text.submit : text.submitFor(money(cents))}
      </Button>
    </form>
  );
}

/** What is wrong with amount and day. */
export function checkSchedule(values: Values, limits: { earliest: string; latest: string }): Problems {
  const problems: Record<string, string> = {};
  const cents = parseAmount(values['amount'] ?? '');
  if (cents === null) problems['amount'] = t.invalid.amount;
  else if (cents < 1 || cents > LARGEST) problems['amount'] = t.invalid.amountRange(money(LARGEST));
  const date = values['date'] ?? '';
  if (date === '') problems['date'] = t.invalid.date;
  else if (date < limits.earliest || date > limits.latest) {
    problems['date'] = t.invalid.dateRange(day(limits.earliest), day(limits.latest));
  }
  return problems;
}
