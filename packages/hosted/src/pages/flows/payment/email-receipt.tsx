/** Lets a payer without a customer record enter an e-mail address for the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { readEmail } from '@shared/email.js';
import type { Receipt } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { Fields, TextField } from '../../kit/design/field.js';
import { fieldId, useForm } from '../../kit/design/form.js';
import { isolate } from '../../kit/format/locale.js';
import { useShell } from '../../kit/shell/shell.js';
import { after } from '../../kit/text/index.js';

const FIELD = 'emailAddress';

export function EmailReceipt({ attemptId }: Pick<Receipt, 'attemptId'>) {
  const shell = useShell();
  const text = after.emailReceipt;
  const [step, setStep] = useState<'typing' | 'sending' | 'sent'>('typing');
  const form = useForm({}, ({ [FIELD]: address = '' }) =>
    readEmail(address) === null ? { [FIELD]: text.invalid } : {},
  );
  const sent = useRef<HTMLParagraphElement>(null);
  const { refusals } = form.state;
  useEffect(() => {
    if (refusals > 0) document.getElementById(fieldId(FIELD))?.focus();
  }, [refusals]);
  // The focused field was removed.
  useEffect(() => sent.current?.focus(), [step]);

  const submit = (): void => {
    if (!form.submit()) return;

    setStep('sending');
    const path = `attempts/${encodeURIComponent(attemptId)}/email`;
    const emailAddress = readEmail(form.values[FIELD] ?? '');
    void shell.api.post(path, { emailAddress }).then((result) => {
      setStep(result.kind === 'ok' ? 'sent' : 'typing');
      if (result.kind !== 'ok') form.refuse({ [FIELD]: text.failed });
    });
  };

  if (step === 'sent')
    return (
      <p ref={sent} tabIndex={-1}>
        {text.sent(isolate(form.values[FIELD]?.trim() ?? ''))}
      </p>
    );
  return (
    <form class="email-receipt" noValidate>
      <Fields disabled={step === 'sending'}>
        <TextField
          {...form.field(FIELD)}
          label={text.label}
          autoComplete="email"
          inputMode="email"
          enterKeyHint="go"
          required={false}
          maxLength={254}
        />
      </Fields>
      <Button kind="secondary" type="submit" onPress={submit} busy={step === 'sending'}>
        {text.send}
      </Button>
    </form>
  );
}
