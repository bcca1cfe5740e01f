/** AutoPay for one account: enroll with a saved or new method, view the enrollment, change its method, unenroll. */
import { autopayText } from '@shared/authorization-text.js';
import { useState } from 'preact/hooks';
import type { AutopayEnrollment, AutopayPageSession } from '@shared/page.js';
import { AccountName, nameParts } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { CheckField, ProblemLine } from '../../kit/design/field.js';
import { fieldId, useForm, type Problems } from '../../kit/design/form.js';
import { day } from '../../kit/format/date.js';
import { isolate } from '../../kit/format/locale.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { ConfirmedButton } from '../../kit/manage/confirm.js';
import { ManagePage, startManage, Unavailable } from '../../kit/manage/manage-page.js';
import { say } from '../../kit/manage/page.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { Opener } from '../../kit/manage/opener.js';
import { chargesAhead, OBSTACLES, ScheduledList } from '../../kit/manage/scheduled-list.js';
import { useAction, useFormAction } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { ApiResult } from '../../kit/shell/api.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { hasExpired, including } from '../../kit/source/saved-method.js';
import { DefaultNotice } from '../../kit/source/default-notice.js';
import { initialSource } from '../../kit/source/source-form.js';
import { checkSource, TERMS, agreed } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage, rest, terms as authorizations } from '../../kit/text/index.js';

startManage(AutopayPage);

type Expanded = 'nothing' | 'method' | 'leave';

function AutopayPage({ session }: FlowProps<AutopayPageSession>) {
  const { expanded, expand, leaving, showEnrolled, showElsewhere, leave } = useAutopay();
  const text = manage.autopay;
  const { enrollment } = session;
  const isEnrolledByAnother = session.enrolledByAnother === true;
  const isOn = enrollment !== undefined || isEnrolledByAnother;
  const needsMethod = enrollment?.problem !== undefined;
  const canEnroll =
    session.unavailable === undefined && session.methods.length + session.savedMethods.length > 0;

  const change = enrollment !== undefined && canEnroll && expanded !== 'leave' && (
    <Opener
      open={expanded === 'method'}
      button={
        <Button kind={needsMethod ? 'primary' : 'secondary'} onPress={() => expand('method')}>
          {text.changeMethod}
        </Button>
      }
    >
      <EnrollForm
        session={session}
        onDone={(next) => showEnrolled(next, text.methodChanged)}
        onRefused={showElsewhere}
        onCancel={() => expand('nothing')}
      />
    </Opener>
  );

  return (
    <ManagePage
      title={text.title}
      intro={session.chargedBy === 'merchant' ? text.introMerchant : text.intro}
      isDone={isOn ? !needsMethod : !canEnroll}
      more={
        enrollment !== undefined && (
          <div class="actions">
            {!needsMethod && change}
            {expanded !== 'method' && (
              <ConfirmedButton
                open={expanded === 'leave'}
                onOpen={() => expand('leave')}
                question={text.unenrollQuestion}
                hint={text.unenrollHint}
                yes={text.unenrollConfirm}
                no={text.keep}
                busy={leaving.busy}
                onYes={leave}
                onNo={() => expand('nothing')}
              >
                {text.unenroll}
              </ConfirmedButton>
            )}
          </div>
        )
      }
    >
      <div class="panel">
        <p class="status-line">
          <span class={`dot${isOn ? ' on' : ''}${needsMethod ? ' stuck' : ''}`} />
          {isOn ? text.on : text.off}
        </p>
        <p>
          <AccountName account={session.account} />
        </p>
        {enrollment !== undefined && <Enrollment enrollment={enrollment} now={session.now} />}
      </div>

      {isEnrolledByAnother && <p>{text.byAnother}</p>}
      {session.scheduled && <ScheduledList title={manage.scheduled.title} payments={session.scheduled} />}
      <Unavailable session={session} />

      {!isEnrolledByAnother && canEnroll && enrollment === undefined && (
        <EnrollForm
          session={session}
          onDone={(next) => showEnrolled(next, text.enrolled)}
          onRefused={showElsewhere}
        />
      )}
      {needsMethod && change}
    </ManagePage>
  );
}

/** What is expanded, the last success, and how the payer leaves AutoPay. */
function useAutopay() {
  const shell = useShell();
  const [expanded, expand] = useState<Expanded>('nothing');
  const leaving = useAction();

  const show = (change: (current: AutopayPageSession) => AutopayPageSession, success: string): void => {
    shell.update(change);
    expand('nothing');
    say(success);
  };
  const showEnrolled = (enrollment: AutopayEnrollment, success: string): void =>
    show((current) => {
      const savedMethods = including(current.savedMethods, enrollment.method);
      return { ...current, enrollment, savedMethods };
    }, success);
  const showOff = (message: string): void =>
    show((current) => {
      const { enrollment: _, ...others } = current;
      return others;
    }, message);
  /** Says that AutoPay was turned off elsewhere, or on by another customer. */
  const showElsewhere = (result: ApiResult<unknown>): boolean => {
    const reason = result.kind === 'refused' ? result.errors[0]?.reason : undefined;
    if (reason !== 'not_enrolled' && reason !== 'enrolled_by_another') return false;
    showOff(reason === 'not_enrolled' ? manage.autopay.notEnrolled : manage.autopay.byAnother);
    return true;
  };
  const leave = (): void =>
    leaving.run(
      () => shell.api.post('autopay/unenroll'),
      () => showOff(manage.autopay.unenrolled),
      showElsewhere,
    );
  return { expanded, expand, leaving, showEnrolled, showElsewhere, leave };
}

/** Upcoming charges, their payment method, and any problem with it. */
function Enrollment({ enrollment, now }: { enrollment: AutopayEnrollment; now: string }) {
  const text = manage.autopay;
  const { method, enrolledOn, failed, overdue, problem } = enrollment;
  return (
    <>
      {chargesAhead(enrollment).map((charge) => (
        <p key={charge} class="strong">
          {charge}
        </p>
      ))}
      <p>{text.limit}</p>
      <p class="quiet">{text.since(day(enrolledOn))}</p>
      <div class="item">
        <MethodLine method={method} now={now} tags={false} />
      </div>
      {failed === true && <ProblemLine id="autopay" problem={text.failed} />}
      {overdue === true && <ProblemLine id="autopay" problem={text.overdue} />}
      {problem && <ProblemLine id="enrollment" problem={problemText(problem, hasExpired(method, now))} />}
    </>
  );
}

function problemText(
  { obstacle, date }: NonNullable<AutopayEnrollment['problem']>,
  isExpired: boolean,
): string {
  if (obstacle !== 'expired') return OBSTACLES[obstacle]();
  return isExpired ? manage.autopay.methodExpired : manage.autopay.methodExpires(day(date));
}

interface EnrollFormProps {
  session: AutopayPageSession;
  onDone: (enrollment: AutopayEnrollment) => void;
  /** Set while changing the method of an enrolled account. */
  onCancel?: () => void;
  /** Returns true if it has handled the refusal. */
  onRefused: (result: ApiResult<unknown>) => boolean;
}

/** Enrolls, or changes the method of an enrolled account. Saves the method first if it is new. */
function EnrollForm({ session, onDone, onCancel, onRefused }: EnrollFormProps) {
  const shell = useShell();
  const changing = onCancel !== undefined;
  const action = useFormAction();
  const [initial] = useState(() => initialSource(session, session.savedMethods, session.account));
  const form = useForm(initial, (values): Problems => ({
    ...checkSource(values, session.now),
    ...(changing || values[TERMS] === 'yes' ? {} : { [TERMS]: rest.invalid.terms }),
  }));
  const chooseMethod = useMethod(form, session.now);
  const text = manage.autopay;
  const authorization = autopayText(
    { text: authorizations, business: shell.business },
    { account: nameParts(session.account).map(isolate).join(' · '), chargedBy: session.chargedBy },
  );

  const enroll = async (): Promise<ApiResult<AutopayEnrollment>> => {
    const chosen = await chooseMethod();
    if (chosen.kind !== 'ok') return chosen;

    const methodId = chosen.data.id;
    const path = changing ? 'autopay/method' : 'autopay/enroll';
    return shell.api.post(path, { methodId, authorization: agreed(session) });
  };
  const showRefusal = (result: ApiResult<unknown>): boolean =>
    onRefused(result) || showFieldErrors(form)(result);

  return (
    <ActionForm
      form={form}
      action={action}
      submit={changing ? text.useMethod : text.enroll}
      onSubmit={() => action.run(enroll, onDone, showRefusal)}
      {...(changing ? { onCancel } : {})}
    >
      {!changing && <DefaultNotice session={session} />}
      <SourceFields form={form} session={session} saved={session.savedMethods} focused={changing} />
      <div class="panel">
        <h2>{text.terms}</h2>
        <p class="terms" id={fieldId('authorization')} tabIndex={-1}>
          {authorization}
        </p>
        {!changing && <CheckField {...form.field(TERMS)} label={text.agree} required />}
      </div>
    </ActionForm>
  );
}
