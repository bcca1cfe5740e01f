/** AutoPay for one account: enroll with a saved or new method, view the enrollment, change its method, unenroll. */
import { autopayText } from '@shared/authorization-text.js';
import { agreed } from '../../kit/text/agreed.js';
import { useState } from 'preact/hooks';
import type { AutopayEnrollment, AutopayPageSession, SavedMethod } from '@shared/page.js';
import { AccountName, accountNumber, nameParts } from '../../kit/design/account.js';
import { Button } from '../../kit/design/button.js';
import { CheckField, ProblemLine } from '../../kit/design/field.js';
import { fieldId, useForm, type Problems } from '../../kit/design/form.js';
import { day } from '../../kit/format/date.js';
import { isolate } from '../../kit/format/isolate.js';
import { money } from '../../kit/format/money.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { ConfirmedButton } from '../../kit/manage/confirmed-button.js';
import { ManagePage, Unavailable, useSuccessNotice } from '../../kit/manage/manage-page.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { Opener } from '../../kit/manage/opener.js';
import { sendChange } from '../../kit/manage/send-change.js';
import { useAction } from '../../kit/manage/use-action.js';
import { showFieldErrors, useMethod } from '../../kit/manage/use-method.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { hasExpired, including, methodName } from '../../kit/source/saved-method.js';
import { initialSource } from '../../kit/source/source-form.js';
import { checkSource, TERMS } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage, rest, t, terms as authorizations } from '../../kit/text/index.js';

type Expanded = 'nothing' | 'method' | 'leave';

export function AutopayPage({ session }: FlowProps<AutopayPageSession>) {
  const { api } = useShell();
  const [enrollment, setEnrollment] = useState<AutopayEnrollment | undefined>(session.enrollment);
  const [saved, setSaved] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [expanded, setExpanded] = useState<Expanded>('nothing');
  const [notice, showNotice] = useSuccessNotice();
  const leaving = useAction();
  const text = manage.autopay;
  const isEnrolledByAnother = session.enrolledByAnother === true;
  const isOn = enrollment !== undefined || isEnrolledByAnother;
  const needsMethod = enrollment !== undefined && hasExpired(enrollment.method, session.now);
  const canEnroll = session.unavailable === undefined && session.methods.length + saved.length > 0;

  const enrolled = (next: AutopayEnrollment, success: string): void => {
    setEnrollment(next);
    setSaved((methods) => including(methods, next.method));
    setExpanded('nothing');
    showNotice(success);
  };
  const leave = (): void =>
    leaving.run(
      () =>
        sendChange(api, 'autopay/unenroll', {}, ({ enrollment: left }: AutopayPageSession) =>
          left === undefined ? null : undefined,
        ),
      () => {
        setEnrollment(undefined);
        setExpanded('nothing');
        showNotice(text.unenrolled);
      },
    );

  const change = enrollment !== undefined && canEnroll && expanded !== 'leave' && (
    <Opener
      open={expanded === 'method'}
      button={
        <Button kind={needsMethod ? 'primary' : 'secondary'} onPress={() => setExpanded('method')}>
          {text.changeMethod}
        </Button>
      }
    >
      <EnrollForm
        session={session}
        saved={saved}
        onDone={(next) => enrolled(next, text.methodChanged)}
        onCancel={() => setExpanded('nothing')}
      />
    </Opener>
  );

  return (
    <ManagePage
      title={text.title}
      intro={session.chargedBy === 'merchant' ? text.introMerchant : text.intro}
      notice={notice}
      actions={[leaving]}
      isDone={isOn ? !needsMethod : !canEnroll}
      more={
        enrollment !== undefined && (
          <div class="actions">
            {!needsMethod && change}
            {expanded !== 'method' && (
              <ConfirmedButton
                open={expanded === 'leave'}
                onOpen={() => setExpanded('leave')}
                question={text.unenrollQuestion}
                hint={text.unenrollHint}
                yes={text.unenrollConfirm}
                no={text.keep}
                busy={leaving.busy}
                onYes={leave}
                onNo={() => setExpanded('nothing')}
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
      <Unavailable session={session} />

      {!isEnrolledByAnother && canEnroll && enrollment === undefined && (
        <EnrollForm session={session} saved={saved} onDone={(next) => enrolled(next, text.enrolled)} />
      )}
      {needsMethod && change}
    </ManagePage>
  );
}

/** Upcoming charges, their payment method, and any problem with it. */
function Enrollment({ enrollment, now }: { enrollment: AutopayEnrollment; now: string }) {
  const text = manage.autopay;
  const { method, enrolledOn, failed } = enrollment;
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
      {method.blocked !== undefined && <ProblemLine id="enrollment" problem={t.method.blocked} />}
      {hasExpired(method, now) && <ProblemLine id="enrollment" problem={text.methodExpired} />}
    </>
  );
}

/** The upcoming charges of the service or the merchant, earliest first. */
function chargesAhead({ next, scheduled = [], method }: AutopayEnrollment): string[] {
  return [...(next === undefined ? [] : [next]), ...scheduled]
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ amount, date }) => manage.autopay.next(money(amount), day(date), methodName(method)));
}

interface EnrollFormProps {
  session: AutopayPageSession;
  saved: readonly SavedMethod[];
  onDone: (enrollment: AutopayEnrollment) => void;
  /** Set while changing the method of an enrolled account. */
  onCancel?: () => void;
}

function EnrollForm({ session, saved, onDone, onCancel }: EnrollFormProps) {
  const changing = onCancel !== undefined;
  const { api, business } = useShell();
  const action = useAction();
  const [initial] = useState(() => initialSource(session, saved, session.account));
  const form = useForm(initial, (values): Problems => ({
    ...checkSource(values, session.now),
    ...(changing || values[TERMS] === 'yes' ? {} : { [TERMS]: rest.invalid.terms }),
  }));
  const method = useMethod(form, session.now);
  const text = manage.autopay;
  const authorization = autopayText(
    { text: authorizations, business },
    { account: nameParts(session.account).map(isolate).join(' · '), chargedBy: session.chargedBy },
  );

  const submit = (): void =>
    action.run<AutopayEnrollment>(
      async () => {
        const chosen = await method.resolve();
        if (chosen.kind !== 'ok') return chosen;
        const path = changing ? 'autopay/method' : 'autopay/enroll';
        const methodId = chosen.data.id;
        const request = { methodId, authorization: agreed(session) };
        return sendChange(api, path, request, ({ enrollment }: AutopayPageSession) =>
          enrollment?.method.id === methodId ? enrollment : undefined,
        );
      },
      onDone,
      showFieldErrors(form),
    );

  return (
    <ActionForm
      form={form}
      action={action}
      submit={changing ? text.useMethod : text.enroll}
      onSubmit={submit}
      {...(changing ? { onCancel } : {})}
    >
      <SourceFields form={form} session={session} saved={saved} disabled={action.busy} focused={changing} />
      <div class="panel">
        <h2>{text.terms}</h2>
        <p class="terms" id={fieldId('authorization')} tabIndex={-1}>
          <NoBreak part={accountNumber(session.account).split(' ').at(-1) ?? ''}>{authorization}</NoBreak>
        </p>
        {!changing && (
          <CheckField {...form.field(TERMS)} label={text.agree} disabled={action.busy} required />
        )}
      </div>
    </ActionForm>
  );
}

/** Text that wraps before `part` rather than inside it. */
function NoBreak({ part, children: text }: { part: string; children: string }) {
  const [before, ...after] = text.split(part);
  if (after.length === 0) return text;
  return (
    <>
      {before}
      <bdi class="whole">{part}</bdi>
      {after.join(part)}
    </>
  );
}
