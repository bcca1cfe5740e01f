/** The payment flow: a summary next to the payment methods, then the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaymentPageSession } from '@shared/page.js';
import { useForm, type Values } from '../../kit/design/form.js';
import { brokenText, Skeleton, type FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { start } from '../../kit/shell/start.js';
import { defaultFirst, initialSource } from '../../kit/source/source-form.js';
import { pay } from '../../kit/text/index.js';
import { authorizationText } from './authorization.js';
import { initialCharges, totalOf } from './charges.js';
import { late } from './late-part.js';
import { PaymentForm } from './payment-form.js';
import { Summary } from './summary.js';
import { usePayment } from './use-payment.js';

void start(PaymentPage, late);

function PaymentPage({ session }: FlowProps<PaymentPageSession>) {
  const { part, isMissing } = late;
  const shell = useShell();
  const [initial] = useState((): Values => ({
    ...initialCharges(session.charges),
    ...initialSource(
      session,
      session.savedMethods,
      session.charges.find(({ account }) => account?.address?.zipCode)?.account,
    ),
  }));
  const form = useForm(initial, (values) => late.part?.checkOrder(session, values) ?? {});
  const latest = useRef(form);
  latest.current = form;
  const { state, send } = usePayment(session, form);
  // Removes the card from memory after a payment.
  useEffect(() => {
    if (state?.step === 'paid') latest.current.reset({});
  }, [state?.step]);

  const total = totalOf(session.charges, form.values);
  const authorization = authorizationText(session, form.values, total.text, shell.business);
  /** The payer pressed Pay before the code that validates and sends the form had loaded. `lost`: it failed to load. */
  const [press, setPress] = useState<'waits' | 'lost'>();
  const submit = (): void => {
    if (!shell.mayStart()) return;
    setPress(part === undefined ? 'waits' : undefined);
    if (part === undefined || !form.submit()) return;
    const order = part.orderOf(session, form.values, authorization !== null);
    if (order !== null) send({ type: 'submit', order });
  };
  const pressed = useRef(submit);
  pressed.current = submit;
  useEffect(() => {
    if (press !== 'waits') return;
    if (part !== undefined) pressed.current();
    else if (isMissing === true) setPress('lost');
  }, [press, part, isMissing]);

  const pays = session.methods.length + defaultFirst(session.savedMethods).length > 0;
  if (state === undefined) return <Skeleton />;
  if (session.status === 'Failed' || (state.step !== 'form' && state.step !== 'sending')) {
    return part && <part.Outcome session={session} state={state} send={send} />;
  }

  const summary = <Summary session={session} form={form} total={total} />;
  return pays ? (
    <PaymentForm
      session={session}
      summary={summary}
      form={form}
      total={total}
      state={state}
      onSubmit={submit}
      authorization={authorization}
      waits={press === 'waits'}
      problem={press === 'lost' && part === undefined ? `${brokenText()} ${pay.notCharged}` : undefined}
    />
  ) : (
    <div class="payment">
      {summary}
      {part && <part.NoMethod session={session} />}
    </div>
  );
}
