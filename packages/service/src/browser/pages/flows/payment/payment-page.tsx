/** The payment flow: what is to be paid beside how, then the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageError, PaymentPageSession } from '../../../../shared/page.js';
import { useForm, type Problems, type Values } from '../../kit/design/form.js';
import { Opening, type FlowProps } from '../../kit/shell/app.js';
import { useLate } from '../../kit/shell/late.js';
import { useShell } from '../../kit/shell/shell.js';
import {
  checkSource,
  initialSource,
  newSource,
  refusedFields,
  savedIdOf,
} from '../../kit/source/source-form.js';
import { authorizationText } from './authorization.js';
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
    ...initialSource(session, session.savedMethods),
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

  const pays = session.methods.length + session.savedMethods.length > 0;
  const isForm = session.status !== 'Failed' && (state.step === 'form' || state.step === 'sending');
  const asksCountry = session.countries !== undefined;
  const late = useLate(!isForm || !pays || asksCountry) as typeof Late | undefined;
  if (!isForm || (asksCountry && late === undefined)) {
    return late === undefined ? (
      <Opening />
    ) : (
      <late.Outcome session={session} state={state} askNow={payment.askNow} />
    );
  }

  const total = totalOf(session.charges, form.values);
  const authorization = authorizationText(session, form.values, total, shell.business);
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
      ...(authorization === null ? {} : { authorization }),
    });
  };

  const summary = <Summary session={session} form={form} total={total} disabled={state.step === 'sending'} />;
  return pays ? (
    <PaymentForm
      session={session}
      summary={summary}
      form={form}
      total={total}
      state={state}
      onSubmit={submit}
      late={late}
      save={SAVE}
      authorization={authorization}
    />
  ) : (
    <div class="payment">
      {summary}
      {late !== undefined && <late.NoMethod session={session} />}
    </div>
  );
}
