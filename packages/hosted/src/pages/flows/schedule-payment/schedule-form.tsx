import { useEffect, useRef, useState } from 'preact/hooks';
import { scheduledText } from '@shared/authorization-text.js';
import type { ScheduledPayment, SchedulePageSession, ScheduleRequest } from '@shared/page.js';
import { TextField, AmountField } from '../../kit/design/field.js';
import { fieldId, useForm, type FieldBinding, type Form } from '../../kit/design/form.js';
import { day, longDay } from '../../kit/format/date.js';
import { amountText, money, parseAmount } from '../../kit/format/money.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { useFormAction, useRequestId, type FormAction, sendChange } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { useShell } from '../../kit/shell/shell.js';
import { checkSource, expiresBefore, agreed } from '../../kit/source/source-check.js';
import { DefaultNotice } from '../../kit/source/default-notice.js';
import { isNew, SourceFields } from '../../kit/source/source-fields.js';
import { CHOICE, initialSource } from '../../kit/source/source-form.js';
import { manage, terms } from '../../kit/text/index.js';
import { checkSchedule, dueDayOf, shortcuts } from './schedule-days.js';

interface Outcomes {
  onDone: (payment: ScheduledPayment) => void;
  /** Called if the customer has a scheduled payment that the page did not list. */
  onUnlisted: () => void;
}

interface ScheduleFormProps extends Outcomes {
  session: SchedulePageSession;
  /** Set if the payer opened the form. Then its first field gets the focus. */
  onCancel: (() => void) | undefined;
}

export function ScheduleForm({ session, onCancel, ...outcomes }: ScheduleFormProps) {
  const { business } = useShell();
  const { account, savedMethods, now } = session;
  const { balance } = account;
  const [initial] = useState(() => ({
    amount: balance !== undefined && balance > 0 ? amountText(balance) : '',
    date: dueDayOf(session) ?? session.earliest,
    ...initialSource(session, savedMethods, account),
  }));
  const form = useForm(initial, (values) => ({
    ...checkSchedule(values, session),
    ...expiresBefore(values['date'] ?? '', values, savedMethods, manage.schedule.expiredByThen),
    ...checkSource(values, now),
  }));
  const { action, submit } = useScheduling(session, form, outcomes);
  const text = manage.schedule;
  const date = form.field('date');
  const cents = parseAmount(form.field('amount').value);
  const authorization = scheduledText(
    { text: terms, business, money, day: longDay },
    { amount: cents, date: date.value },
  );

  const isOpened = onCancel !== undefined;
  useEffect(() => {
    if (isOpened) document.getElementById(fieldId('amount'))?.focus();
  }, [isOpened]);

  return (
    <ActionForm
      form={form}
      action={action}
      submit={cents === null ? text.submit : text.submitFor(money(cents))}
      onSubmit={submit}
      {...(onCancel && { onCancel })}
    >
      <div class="fields">
        <AmountField
          {...form.field('amount')}
          label={text.amount}
          hint={balance === undefined ? undefined : text.balanceHint(money(balance))}
        />
        <TextField
          {...date}
          type="date"
          label={text.date}
          hint={text.dateHint(day(session.earliest), day(session.latest))}
          min={session.earliest}
          max={session.latest}
          autoComplete="off"
        />
        <Shortcuts session={session} field={date} />
      </div>
      <DefaultNotice session={session} />
      <SourceFields form={form} session={session} saved={savedMethods} />
      {isNew(form.field(CHOICE).value) && <p class="quiet">{text.kept}</p>}
      <p class="terms" id={fieldId('authorization')} tabIndex={-1}>
        {authorization}
      </p>
    </ActionForm>
  );
}

/** Schedules the payment in the form. Saves its method first if it is new. */
function useScheduling(
  session: SchedulePageSession,
  form: Form,
  { onDone, onUnlisted }: Outcomes,
): { action: FormAction; submit: () => void } {
  const shell = useShell();
  const action = useFormAction();
  const chooseMethod = useMethod(form, session.now);
  const requestId = useRequestId();
  const latest = useRef(session);
  latest.current = session;

  const schedule = async (): Promise<ApiResult<ScheduledPayment>> => {
    const chosen = await chooseMethod();
    if (chosen.kind !== 'ok') return chosen;

    const methodId = chosen.data.id;
    const amount = parseAmount(form.values['amount'] ?? '') ?? 0;
    const date = form.values['date'] ?? '';
    const fields = { amount, date, methodId, authorization: agreed(session) };
    const listed = session.scheduled.map(({ id }) => id);
    const request: ScheduleRequest = { requestId: requestId.of(fields), ...fields, listed };
    const result = await sendChange<ScheduledPayment>(shell, 'schedule', request);
    if (result.kind === 'refused') requestId.discard();
    return result;
  };

  const showRefusal = (result: ApiResult<unknown>): boolean => {
    if (result.kind === 'refused' && result.errors[0]?.reason === 'already_scheduled') {
      onUnlisted();
      return true;
    }
    return showFieldErrors(form, () => checkSchedule(form.values, latest.current))(result);
  };

  return { action, submit: () => action.run(schedule, onDone, showRefusal) };
}

interface ShortcutsProps {
  session: SchedulePageSession;
  field: FieldBinding;
}

/** Buttons for common payment dates. */
function Shortcuts({ session, field }: ShortcutsProps) {
  return (
    <div class="chips">
      {shortcuts(session).map(([label, date]) => (
        // Not a `Button`: another prop would add bytes to the payment page, whose size budget is used up.
        <button
          key={label}
          type="button"
          class="button quiet"
          aria-pressed={field.value === date}
          onClick={() => field.onValue(date)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
