/** The payment method fields. */
import type { ComponentChildren } from 'preact';
import type { PaymentPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { CheckField, Fields, TextField } from '../../kit/design/field.js';
import { fieldId, type Form } from '../../kit/design/form.js';
import { Icon } from '../../kit/design/icons.js';
import { onEnter } from '../../kit/design/next-field.js';
import { Privacy } from '../../kit/shell/legal.js';
import { inert } from '@shared/inert.js';
import { isolate } from '../../kit/format/locale.js';
import { useShell } from '../../kit/shell/shell.js';
import { CHOICE } from '../../kit/source/source-form.js';
import { isNew, SourceFields } from '../../kit/source/source-fields.js';
import { after, pay, t } from '../../kit/text/index.js';
import type { Total } from './charges.js';
import { inputName, openFields, SAVE, labelOf } from './fields.js';
import { late } from './late-part.js';
import type { PaymentState } from './payment-state.js';

export interface PaymentFormProps {
  session: PaymentPageSession;
  /** The charges to pay. */
  summary: ComponentChildren;
  form: Form;
  total: Total;
  state: Extract<PaymentState, { step: 'form' | 'sending' }>;
  onSubmit: () => void;
  /** The authorization given by paying. */
  authorization: string | null;
  /** The payer pressed Pay before the code that sends the form had loaded. */
  waits: boolean;
  /** Why the form was not sent. */
  problem: string | undefined;
}

export function PaymentForm(props: PaymentFormProps) {
  const { session, summary, form, total, state, onSubmit, authorization, waits, problem } = props;
  const { business } = useShell();
  const { part } = late;
  const sending = state.step === 'sending';
  // What is sent later must be what the payer pressed Pay for.
  const busy = sending || waits;
  return (
    <form id="payment-form" class="payment" noValidate onKeyDown={onEnter}>
      <Fields disabled={busy}>{summary}</Fields>
      <div class="card">
        <h2 class="visually-hidden">{pay.paymentDetails}</h2>
        {part && <part.FormNotices form={form} state={state} session={session} />}
        <Fields disabled={busy}>
          <MerchantFields session={session} form={form} />
          <SourceFields
            form={form}
            session={session}
            saved={session.savedMethods}
            byAgent={session.channel === 'POS'}
          />
          {session.canSave && isNew(form.field(CHOICE).value) && (
            <CheckField
              {...form.field(SAVE)}
              label={pay.save}
              hint={session.customer && pay.saveHint(isolate(inert(session.customer.emailAddress, 80)))}
            />
          )}
        </Fields>
        {authorization !== null && (
          <p class="terms" id={fieldId('authorization')} tabIndex={-1}>
            {authorization}
          </p>
        )}
        <div class="pay-bar">
          {problem && (
            <p class="problem" role="alert">
              <Icon name="alert" />
              {problem}
            </p>
          )}
          {part && <part.ErrorSummary state={form.state} />}
          <Button id="pay" type="submit" onPress={onSubmit} busy={busy}>
            {payLabel(total, sending, waits)}
          </Button>
        </div>
        <p class="visually-hidden" role="status">
          {sending ? after.payingStatus : ''}
        </p>
        <Privacy text={t.common.privacy(business)} />
      </div>
    </form>
  );
}

function payLabel(total: Total, sending: boolean, waits: boolean): string {
  if (waits) return t.common.working;
  if (sending) return after.paying;
  return total.isPayable ? pay.pay(total.text) : pay.payUnknown;
}

/** Fields that the merchant asks for and has not filled in. */
function MerchantFields({ session, form }: Pick<PaymentFormProps, 'session' | 'form'>) {
  const open = openFields(session.fields);
  if (open.length === 0) return null;
  return (
    <div class="fields">
      {open.map((field) => (
        <TextField
          key={field.key}
          {...form.field(inputName(field))}
          label={labelOf(field)}
          note={field.required ? undefined : t.common.optional}
          required={field.required}
          autoComplete="off"
        />
      ))}
    </div>
  );
}
