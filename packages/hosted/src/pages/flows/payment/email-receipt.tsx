/** Lets a payer without a customer record enter an e-mail address for the receipt. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { readEmail } from '@shared/email.js';
import type { Receipt } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { TextField } from '../../kit/design/field.js';
import { isolate } from '../../kit/format/isolate.js';
import { useShell } from '../../kit/shell/shell.js';
import { after } from '../../kit/text/index.js';

type State = 'typing' | 'sending' | 'sent' | 'invalid' | 'failed';

export function EmailReceipt({ attemptId }: Pick<Receipt, 'attemptId'>) {
  const shell = useShell();
  const [address, setAddress] = useState('');
  const [state, setState] = useState<State>('typing');
  const sent = useRef<HTMLParagraphElement>(null);
  // The focused field was removed.
  useEffect(() => {
    if (state === 'sent') sent.current?.focus();
  }, [state]);
  const text = after.emailReceipt;

  const submit = (): void => {
    if (state === 'sending') return;

    const emailAddress = readEmail(address);
    if (emailAddress === null) return setState('invalid');

    setState('sending');
    const path = `attempts/${encodeURIComponent(attemptId)}/email`;
    void shell.api.post(path, { emailAddress }).then((result) => {
      setState(result.kind === 'ok' ? 'sent' : 'failed');
    });
  };

  if (state === 'sent')
    return (
      <p ref={sent} tabIndex={-1}>
        {text.sent(isolate(address.trim()))}
      </p>
    );
  return (
    <form
      class="email-receipt"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        id="email-receipt"
        label={text.label}
        value={address}
        problem={state === 'invalid' ? text.invalid : state === 'failed' ? text.failed : undefined}
        fixed={undefined}
        autoComplete="email"
        inputMode="text"
        enterKeyHint="go"
        required={false}
        maxLength={254}
        onValue={(value) => {
          setAddress(value);
          setState('typing');
        }}
        onLeave={() => undefined}
      />
      <Button kind="secondary" busy={state === 'sending'}>
        {text.send}
      </Button>
    </form>
  );
}
