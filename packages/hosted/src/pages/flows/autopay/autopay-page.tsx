/** AutoPay of one account: enroll with a saved or new method, see the enrollment, change its method, unenroll. */
import { autopayText } from '@shared/authorization-text.js';
import { agreed } from '../../kit/text/agreed.js';
import { useState } from 'preact/hooks';
import type { AutopayEnrollment, AutopayPageSession, SavedMethod } from '@shared/page.js';
import { AccountName, accountNumber } from '../../kit/design/account.js';
import { accountName } from '../../kit/design/account-name.js';
import { Button } from '../../kit/design/button.js';
import { CheckField, ProblemLine } from '../../kit/design/field.js';
import { useForm, type Problems } from '../../kit/design/form.js';
import { day } from '../../kit/format/date.js';
import { money } from '../../kit/format/money.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Confirm } from '../../kit/manage/confirm.js';
import { ManagePage, Unavailable, useSuccessNotice } from '../../kit/manage/manage-page.js';
import { MethodLine } from '../../kit/manage/method-line.js';
import { Opener } from '../../kit/manage/opener.js';
import { useAction } from '../../kit/manage/use-action.js';
import { showIn, useMethod } from '../../kit/manage/use-method.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { hasExpired, including, methodName } from '../../kit/source/saved-method.js';
import { initialSource } from '../../kit/source/source-form.js';
import { checkSource } from '../../kit/source/source-check.js';
import { SourceFields } from '../../kit/source/source-fields.js';
import { manage, rest, t, terms as authorizations } from '../../kit/text/index.js';

const TERMS = 'terms';

export function AutopayPage({ session }: FlowProps<AutopayPageSession>) {
  const { api } = useShell();
  const [enrollment, setEnrollment] = useState<AutopayEnrollment | undefined>(session.enrollment);
  const [saved, setSaved] = useState<readonly SavedMethod[]>(session.savedMethods);
  const [confirming, setConfirming] = useState<'nothing' | 'method' | 'leave'>('nothing');
  const [notice, showNotice] = useSuccessNotice();
  const leaving = useAction();
  const text = manage.autopay;
  const canEnroll = session.unavailable === undefined && session.methods.length + saved.length > 0;
  const byAnother = session.enrolledByAnother === true;

  const ahead = enrollment === undefined ? [] : chargesAhead(enrollment);

  const enrolled = (next: AutopayEnrollment, said: string): void => {
    setEnrollment(next);
    setSaved((methods) => including(methods, next.method));
    setConfirming('nothing');
    showNotice(said);
  };
  const leave = (): void =>
    leaving.run(
      () => api.post<null>('autopay/unenroll'),
      () => {
        setEnrollment(undefined);
        setConfirming('nothing');
        showNotice(text.unenrolled);
      },
    );

  return (
    <ManagePage
      title={text.title}
      intro={session.chargedBy === 'merchant' ? text.introMerchant : text.intro}
      notice={notice}
      actions={[leaving]}
    >
      <div class="panel">
        <p class="status-line">
          <span class={`dot${enrollment === undefined && !byAnother ? '' : ' on'}`} />
          {enrollment === undefined && !byAnother ? text.off : text.on}
        </p>
        <p>
          <AccountName account={session.account} />
        </p>
        {ahead.map((charge) => (
          <p key={charge} class="strong">
            {charge}
          </p>
        ))}
        {enrollment !== undefined && (
          <>
            <p>{text.limit}</p>
            <p class="quiet">{text.since(day(enrollment.enrolledOn))}</p>
            <div class="item">
              <MethodLine method={enrollment.method} now={session.now} tags={false} />
            </div>
            {enrollment.failed === true && <ProblemLine id="autopay" problem={text.failed} />}
            {enrollment.method.blocked !== undefined && (
              <ProblemLine id="enrollment" problem={t.method.blocked} />
            )}
            {hasExpired(enrollment.method, session.now) && (
              <ProblemLine id="enrollment" problem={text.methodExpired} />
            )}
          </>
        )}
      </div>

      {byAnother && <p>{text.byAnother}</p>}
      <Unavailable session={session} />

      {!byAnother && canEnroll && enrollment === undefined && (
        <EnrollForm session={session} saved={saved} onDone={(next) => enrolled(next, text.enrolled)} />
      )}

      {enrollment !== undefined && (
        <div class="actions">
          {canEnroll && confirming !== 'leave' && (
            <Opener
              open={confirming === 'method'}
              button={
                <Button kind="secondary" onPress={() => setConfirming('method')}>
                  {text.changeMethod}
                </Button>
              }
            >
              <EnrollForm
                session={session}
                saved={saved}
                onDone={(next) => enrolled(next, text.methodChanged)}
                onCancel={() => setConfirming('nothing')}
              />
            </Opener>
          )}
          {confirming !== 'method' && (
            <Opener
              open={confirming === 'leave'}
              button={
                <Button kind="quiet" onPress={() => setConfirming('leave')}>
                  {text.unenroll}
                </Button>
              }
            >
              <Confirm
                question={text.unenrollQuestion}
                hint={text.unenrollHint}
                yes={text.unenrollConfirm}
                no={text.keep}
                busy={leaving.busy}
                onNo={() => setConfirming('nothing')}
                onYes={leave}
              />
            </Opener>
          )}
        </div>
      )}
    </ManagePage>
  );
}

/** The charges that the service or the merchant has announced, the earliest first. */
function chargesAhead({ next, scheduled = [], method }: AutopayEnrollment): string[] {
  return [...(next === undefined ? [] : [next]), ...scheduled]
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ amount, date }) => manage.autopay.next(money(amount), day(date), methodName(method)));
}

interface EnrollFormProps {
  session: AutopayPageSession;
  saved: readonly SavedMethod[];
  onDone: (enrollment: AutopayEnrollment) => void;
  /** Set if the account is enrolled and its method is being changed. */
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
  const terms = form.field(TERMS);
  const text = manage.autopay;
  const { chargedBy } = session;
  const authorization = autopayText(
    { text: authorizations, business },
    { account: accountName(session.account), chargedBy },
  );

  const submit = (): void =>
    action.run<AutopayEnrollment>(
      async () => {
        const chosen = await method.resolve();
        if (chosen.kind !== 'ok') return chosen;
        return api.post(changing ? 'autopay/method' : 'autopay/enroll', {
          methodId: chosen.data.id,
          authorization: agreed(),
        });
      },
      onDone,
      showIn(form),
    );

  return (
    <ActionForm
      form={form}
      action={action}
      submit={changing ? text.useMethod : text.enroll}
      onSubmit={submit}
      {...(changing ? { onCancel } : {})}
    >
      <SourceFields
        form={form}
        methods={session.methods}
        saved={saved}
        countries={session.countries}
        now={session.now}
        disabled={action.busy}
        focused={changing}
      />
      <div class="panel">
        <h2>{text.terms}</h2>
        <p class="terms">
          <Whole part={accountNumber(session.account)}>{authorization}</Whole>
        </p>
        {!changing && (
          <CheckField
            id={terms.id}
            label={text.agree}
            checked={terms.value === 'yes'}
            onChecked={(checked) => terms.onValue(checked ? 'yes' : '')}
            problem={terms.problem}
            disabled={action.busy}
            required
          />
        )}
      </div>
    </ActionForm>
  );
}

/** A text that wraps before this part rather than inside it. */
function Whole({ part, children: text }: { part: string; children: string }) {
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
