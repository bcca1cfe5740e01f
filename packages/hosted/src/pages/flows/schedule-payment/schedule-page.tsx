/** Schedules one future payment for an account: amount, day, method. */
import { scheduledText } from '@shared/authorization-text.js';
import { agreed } from '../../kit/text/agreed.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ScheduledPayment, SchedulePageSession, ScheduleRequest, SavedMethod } from '@shared/page.js';
import { MAX_SCHEDULED } from '@shared/limits.js';
import { AccountName } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { AmountField } from '../../kit/design/amount-field.js';
import { TextField } from '../../kit/design/field.js';
import { fieldId, useForm, type Problems, type Values, type FieldBinding } from '../../kit/design/form.js';
import { Notice } from '../../kit/design/notice.js';
import { day, longDay } from '../../kit/format/date.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { ManagePage, Unavailable, useSuccessNotice } from '../../kit/manage/manage-page.js';
import { ScheduledList } from '../../kit/manage/scheduled-list.js';
import { sendChange } from '../../kit/manage/send-change.js';
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
  const [made, setMade] = useState<Made>({ session, payments: [] });
  const [step, setStep] = useState<Step>(session.hasScheduled === true ? 'made' : 'first');
  const [notice, showNotice] = useSuccessNotice();
  const text = manage.schedule;
  // A session that was read again lists all of them, unless they have been canceled.
  const own = made.session === session ? made.payments : [];
  const scheduled = own.reduce(withPayment, session.scheduled);
  const saved = own.reduce<readonly SavedMethod[]>(
    (methods, { method }) => including(methods, method),
    session.savedMethods,
  );
  const isDone = step === 'made' || step === 'told';
  const canSchedule = session.unavailable === undefined && session.methods.length + saved.length > 0;

  return (
    <ManagePage
      title={isDone ? manage.scheduled.title : text.title}
      intro={<AccountName account={session.account} />}
      notice={notice}
      actions={[]}
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
      {step === 'told' && (
        <Notice tone="warning" focused>
          <p>{text.already}</p>
        </Notice>
      )}
      <Unavailable session={session} />
      {canSchedule && !isDone && (
        <ScheduleForm
          session={session}
          saved={saved}
          scheduled={scheduled}
          onCancel={step === 'another' ? () => setStep('made') : undefined}
          onTold={() => setStep('told')}
          onDone={(payment) => {
            setStep('made');
            setMade({ session, payments: withPayment(own, payment) });
            showNotice(text.completeBody(money(payment.amount), day(payment.date, 'long')));
          }}
        />
      )}
      <ScheduledList title={text.upcoming} payments={scheduled} />
    </ManagePage>
  );
}

/** The payments that the page has scheduled since it read the session. */
interface Made {
  session: SchedulePageSession;
  payments: readonly ScheduledPayment[];
}

/** `told`: another tab, or a request without a response, has scheduled a payment that the page did not list. */
type Step = 'first' | 'made' | 'told' | 'another';

function withPayment(before: readonly ScheduledPayment[], payment: ScheduledPayment): ScheduledPayment[] {
  return [...before.filter(({ id }) => id !== payment.id), payment];
}

interface ScheduleFormProps {
  session: SchedulePageSession;
  saved: readonly SavedMethod[];
  /** The payments that the page lists. */
  scheduled: readonly ScheduledPayment[];
  /** Set if the payer opened the form. Then its first field gets the focus. */
  onCancel: (() => void) | undefined;
  onTold: () => void;
  onDone: (payment: ScheduledPayment) => void;
}

function ScheduleForm({ session, saved, scheduled, onCancel, onTold, onDone }: ScheduleFormProps) {
  const { api, business } = useShell();
  const action = useAction();
  const requestId = useRequestId();
  const latest = useRef(session);
  latest.current = session;
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

        const methodId = chosen.data.id;
        const sum = parseAmount(form.values['amount'] ?? '') ?? 0;
        const date = form.values['date'] ?? '';
        const fields = { amount: sum, date, methodId, authorization: agreed(session) };
        const listed = scheduled.map(({ id }) => id);
        const request: ScheduleRequest = { requestId: requestId.of(fields), ...fields, listed };
        const result = await sendChange(api, 'schedule', request, (current: SchedulePageSession) =>
          current.scheduled.find(
            (each) =>
              !listed.includes(each.id) &&
              each.amount === sum &&
              each.date === date &&
              each.method.id === methodId,
          ),
        );
        if (result.kind === 'refused') requestId.discard();
        return result;
      },
      onDone,
      (result) => {
        const isTold = result.kind === 'refused' && result.errors[0]?.reason === 'already_scheduled';
        if (isTold) onTold();
        return isTold || showFieldErrors(form, () => checkSchedule(form.values, latest.current))(result);
      },
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
