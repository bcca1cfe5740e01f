/** Schedules one future payment for an account: amount, day, method. */
import { scheduledText } from '@shared/authorization-text.js';
import { agreed } from '../../kit/text/agreed.js';
import { useEffect, useState } from 'preact/hooks';
import type { ScheduledPayment, SchedulePageSession, ScheduleRequest, SavedMethod } from '@shared/page.js';
import { MAX_SCHEDULED } from '@shared/limits.js';
import { AccountName } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { AmountField } from '../../kit/design/amount-field.js';
import { TextField } from '../../kit/design/field.js';
import { fieldId, useForm, type Problems, type Values, type FieldBinding } from '../../kit/design/form.js';
import { day, longDay } from '../../kit/format/date.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { ManagePage, Unavailable, useSuccessNotice } from '../../kit/manage/manage-page.js';
import { ScheduledList } from '../../kit/manage/scheduled-list.js';
import { useAction, useRequestId } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { including } from '../../kit/source/saved-method.js';
import { initialSource, savedIdOf } from '../../kit/source/source-form.js';
import { checkSource, expiresBefore } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage, rest, terms } from '../../kit/text/index.js';

export function SchedulePage({ session }: FlowProps<SchedulePageSession>) {
  const [scheduled, setScheduled] = useState<readonly ScheduledPayment[]>(session.scheduled);
  const [saved, setSaved] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [step, setStep] = useState<'first' | 'made' | 'another'>('first');
  const [notice, showNotice] = useSuccessNotice();
  const [unanswered] = useState(() => new Set<string>());
  const text = manage.schedule;
  const canSchedule = session.unavailable === undefined && session.methods.length + saved.length > 0;

  return (
    <ManagePage
      title={step === 'made' ? manage.scheduled.title : text.title}
      intro={<AccountName account={session.account} />}
      notice={notice}
      actions={[]}
      isDone={step === 'made'}
      more={
        canSchedule &&
        step === 'made' && (
          <Button kind="secondary" onPress={() => setStep('another')}>
            {text.another}
          </Button>
        )
      }
    >
      <Unavailable session={session} />
      {canSchedule && step !== 'made' && (
        <ScheduleForm
          session={session}
          saved={saved}
          unanswered={unanswered}
          onCancel={step === 'another' ? () => setStep('made') : undefined}
          onDone={(payment) => {
            setStep('made');
            setScheduled((before) => [...before.filter(({ id }) => id !== payment.id), payment]);
            setSaved((before) => including(before, payment.method));
            showNotice(text.completeBody(money(payment.amount), day(payment.date, 'long')));
          }}
        />
      )}
      <ScheduledList title={text.upcoming} payments={scheduled} />
    </ManagePage>
  );
}

interface ScheduleFormProps {
  session: SchedulePageSession;
  saved: readonly SavedMethod[];
  /** Ids of requests without a response. The next one replaces them, so that nothing is scheduled twice. */
  unanswered: Set<string>;
  /** Set if the payer opened the form. Then its first field gets the focus. */
  onCancel: (() => void) | undefined;
  onDone: (payment: ScheduledPayment) => void;
}

function ScheduleForm({ session, saved, unanswered, onCancel, onDone }: ScheduleFormProps) {
  const { api, business } = useShell();
  const action = useAction();
  const requestId = useRequestId();
  const text = manage.schedule;
  const balance = session.account.balance;
  const [initial] = useState((): Values => ({
    amount: balance === undefined || balance <= 0 ? '' : amountText(balance),
    date: dueDayOf(session) ?? '',
    ...initialSource(session, saved, session.account),
  }));
  const form = useForm(initial, (values): Problems => ({
    ...checkSchedule(values, session),
    ...expiresBefore(values['date'] ?? '', values, saved, text.expiredByThen),
    ...checkSource(values, session.now),
  }));
  const method = useMethod(form, session.now);
  const amount = form.field('amount');
  const cents = parseAmount(amount.value);
  const on = form.values['date'] ?? '';
  const authorization = scheduledText(
    { text: terms, business, money, day: longDay },
    { amount: cents, date: on },
  );

  const isOpened = onCancel !== undefined;
  useEffect(() => {
    if (isOpened) document.getElementById(fieldId('amount'))?.focus();
  }, [isOpened]);

  const submit = (): void =>
    action.run<ScheduledPayment>(
      async () => {
        const chosen = await method.resolve();
        if (chosen.kind !== 'ok') return chosen;

        const fields = {
          amount: parseAmount(form.values['amount'] ?? '') ?? 0,
          date: form.values['date'] ?? '',
          methodId: chosen.data.id,
          authorization: agreed(session),
        };
        const id = requestId.of(fields);
        const replaces = [...unanswered].filter((earlier) => earlier !== id);
        const request: ScheduleRequest = { requestId: id, ...fields, replaces };
        const result = await api.post<ScheduledPayment>('schedule', request);
        if (result.kind === 'ok') unanswered.clear();
        else if (result.kind === 'unreachable') unanswered.add(id);
        else requestId.discard();
        return result;
      },
      onDone,
      showFieldErrors(form),
    );

  return (
    <ActionForm
      form={form}
      action={action}
      submit={cents === null ? text.submit : text.submitFor(money(cents))}
      onSubmit={submit}
      {...(onCancel && { onCancel })}
    >
      <div class="pair wide">
        <AmountField
          {...amount}
          label={text.amount}
          hint={balance === undefined ? undefined : text.balanceHint(money(balance))}
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
      <Shortcuts session={session} field={form.field('date')} disabled={action.busy} />
      <SourceFields form={form} session={session} saved={saved} disabled={action.busy} />
      {savedIdOf(form.values) === null && <p class="quiet">{text.kept}</p>}
      <p class="terms" id={fieldId('authorization')} tabIndex={-1}>
        {authorization}
      </p>
    </ActionForm>
  );
}

interface ShortcutsProps {
  session: SchedulePageSession;
  field: FieldBinding;
  disabled: boolean;
}

/** Buttons for common payment dates. */
function Shortcuts({ session, field, disabled }: ShortcutsProps) {
  return (
    <div class="chips">
      {shortcuts(session).map(([label, date]) => (
        // Not a Button: another property of it would weigh on the payment page, which has no reserve.
        <button
          key={label}
          type="button"
          class="button quiet"
          disabled={disabled}
          aria-pressed={field.value === date}
          onClick={() => field.onValue(date)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The account's due date, if it is within the limits. */
function dueDayOf({ account: { dueDate }, earliest, latest }: SchedulePageSession): string | undefined {
  return dueDate !== undefined && dueDate >= earliest && dueDate <= latest ? dueDate : undefined;
}

/** Common choices, each with its date. */
function shortcuts(session: SchedulePageSession): [string, string][] {
  const { earliest } = session;
  const dueDate = dueDayOf(session);
  const text = manage.schedule;
  return [
    ...(dueDate === undefined ? [] : [[text.onDueDate(day(dueDate)), dueDate] satisfies [string, string]]),
    ...(dueDate === earliest ? [] : [[text.tomorrow(day(earliest)), earliest] satisfies [string, string]]),
  ];
}

/** Validates amount and date. */
function checkSchedule(values: Values, limits: { earliest: string; latest: string }): Problems {
  const problems: Record<string, string> = {};
  const cents = parseAmount(values['amount'] ?? '');
  if (cents === null) problems['amount'] = rest.invalid.amount;
  else if (cents < 1 || cents > MAX_SCHEDULED)
    problems['amount'] = rest.invalid.amountRange(money(1), money(MAX_SCHEDULED));
  const date = values['date'] ?? '';
  if (date === '') problems['date'] = rest.invalid.date;
  else if (date < limits.earliest || date > limits.latest) {
    problems['date'] = rest.invalid.dateRange(day(limits.earliest), day(limits.latest));
  }
  return problems;
}
