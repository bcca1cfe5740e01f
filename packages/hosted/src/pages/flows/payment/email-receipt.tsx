/** Lets a payer without a customer record enter an e-mail address for the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { readEmail } from '@shared/email.js';
import type { Receipt } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { TextField } from '../../kit/design/field.js';
import { isolate } from '../../kit/format/locale.js';
import { useShell } from '../../kit/shell/shell.js';
import { after } from '../../kit/text/index.js';

interface State {
  step: 'typing' | 'sending' | 'sent';
  /** Why the address was refused or nothing was sent. */
  problem?: string;
}

const FIELD = 'email-receipt';

export function EmailReceipt({ attemptId }: Pick<Receipt, 'attemptId'>) {
  const shell = useShell();
  const [address, setAddress] = useState('');
  const [state, setState] = useState<State>({ step: 'typing' });
  const sent = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The focused field was removed.
    if (state.step === 'sent') sent.current?.focus();
    else if (state.problem !== undefined) document.getElementById(FIELD)?.focus();
  }, [state]);
  const text = after.emailReceipt;

  const submit = (): void => {
    if (state.step === 'sending') return;

    const emailAddress = readEmail(address);
    if (emailAddress === null) return setState({ step: 'typing', problem: text.invalid });

    setState({ step: 'sending' });
    const path = `attempts/${encodeURIComponent(attemptId)}/email`;
    void shell.api.post(path, { emailAddress }).then((result) => {
      setState(result.kind === 'ok' ? { step: 'sent' } : { step: 'typing', problem: text.failed });
    });
  };

  if (state.step === 'sent')
    return (
      <p ref={sent} tabIndex={-1}>
        {text.sent(isolate(address.trim()))}
      </p>
    );
  return (
    <form class="email-receipt" noValidate>
      <TextField
        id={FIELD}
        label={text.label}
        value={address}
        problem={state.problem}
        fixed={undefined}
        autoComplete="email"
        inputMode="email"
        enterKeyHint="go"
        required={false}
        maxLength={254}
        disabled={state.step === 'sending'}
        onValue={(value) => {
          setAddress(value);
          setState({ step: 'typing' });
        }}
        onLeave={() => undefined}
      />
      <Button kind="secondary" type="submit" onPress={submit} busy={state.step === 'sending'}>
        {text.send}
      </Button>
    </form>
  );
}
