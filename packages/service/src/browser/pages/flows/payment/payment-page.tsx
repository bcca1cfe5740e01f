/** The payment flow: what is to be paid beside how, then the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageError, PaymentPageSession } from '../../../../shared/page.js';
import { LinkButton } from '../../kit/design/button.js';
import { useForm, type Problems, type Values } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { webUrl } from '../../kit/design/web-url.js';
import { Opening, type FlowProps } from '../../kit/shell/app.js';
import { useLate } from '../../kit/shell/late.js';
import { Statement } from '../../kit/shell/problem.js';
import { useShell } from '../../kit/shell/shell.js';
import {
  CHOICE,
  checkSource,
  firstChoice,
  newSource,
  refusedFields,
  savedIdOf,
} from '../../kit/source/source-form.js';
import { pay, t } from '../../kit/text/index.js';
import { checkCharges, initialCharges, orderedCharges, totalOf } from './charges.js';
import { checkFields, fieldValues } from './fields.js';
import type * as Late from './late.js';
import { PaymentForm } from './payment-form.js';
import { Summary } from './summary.js';
import { usePayment } from './use-payment.js';

const SAVE = 'saveMethod';

export function PaymentPage({ session }: FlowProps<PaymentPageSession>) {
  const shell = useShell();
  const [initial] = useState((): Values => ({
    ...initialCharges(session.charges),
    [CHOICE]: firstChoice(session.methods, session.savedMethods, session.now),
  }));
  const check = (values: Values): Problems => ({
    ...checkCharges(session.charges, values),
    ...checkFields(session.fields, values),
    ...checkSource(values, session.now),
  });
  const form = useForm(initial, check);
  const latest = useRef(form);
  latest.current = form;
  const payment = usePayment(
    session,
    (errors: PageError[]) => latest.current.refuse(refusedFields(errors)),
    shell.reload,
  );
  const { state } = payment;
  // The card is not kept, not even in memory, once it has paid.
  useEffect(() => {
    if (state.step === 'paid') latest.current.reset({});
  }, [state.step]);

  const late = useLate(state.step === 'paid' || state.step === 'checking') as typeof Late | undefined;
  if (state.step === 'paid' || state.step === 'checking') {
    if (late === undefined) return <Opening />;
    return state.step === 'checking' ? (
      <late.Checking state={state} askNow={payment.askNow} />
    ) : (
      <late.ReceiptView session={session} receipt={state.receipt} methodSaved={state.methodSaved} />
    );
  }
  if (session.status === 'Failed') {
    return <Stopped session={session} title={pay.failed.title} body={pay.failed.body(shell.business)} />;
  }
  if (state.step === 'stopped') {
    const text = state.why === 'too_many_attempts' ? pay.tooMany : pay.unavailable;
    const why = session.unavailable === undefined ? undefined : t.failure.noProcessor;
    return <Stopped session={session} title={text.title} body={text.body(shell.business)} why={why} />;
  }

  const total = totalOf(session.charges, form.values);
  const submit = (): void => {
    if (!shell.mayStart() || !form.submit()) return;
    const { values } = form;
    const savedMethodId = savedIdOf(values);
    const source = savedMethodId === null ? newSource(values, session.now) : { savedMethodId };
    if (source === null) return;
    payment.submit({
      source,
      saveMethod: session.canSave && savedMethodId === null && values[SAVE] === 'yes',
      charges: orderedCharges(session.charges, values),
      fields: fieldValues(session.fields, values),
    });
  };

  const summary = <Summary session={session} form={form} total={total} disabled={state.step === 'sending'} />;
  return session.methods.length + session.savedMethods.length === 0 ? (
    <div class="payment">
      {summary}
      <Statement icon="card" title={t.method.none} body={t.method.noneBody(shell.business)}>
        <ReturnLink session={session} />
      </Statement>
    </div>
  ) : (
    <PaymentForm
      session={session}
      summary={summary}
      form={form}
      total={total}
      state={state}
      onSubmit={submit}
      save={SAVE}
    />
  );
}

interface StoppedProps {
  session: PaymentPageSession;
  title: string;
  body: string;
  why?: string | undefined;
}

function Stopped({ session, title, body, why }: StoppedProps) {
  return (
    <Statement icon="alert" title={title} body={body}>
      {why !== undefined && <p class="quiet">{why}</p>}
      <ReturnLink session={session} />
    </Statement>
  );
}

function ReturnLink({ session }: { session: PaymentPageSession }) {
  const { business } = useShell();
  const href = webUrl(session.returnUrl);
  if (href === null) return null;
  return (
    <LinkButton href={href} kind="secondary">
      <Icon name="back" />
      {pay.backTo(business)}
    </LinkButton>
  );
}
