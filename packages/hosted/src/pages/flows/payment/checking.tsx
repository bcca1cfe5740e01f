/** Shown while a sent payment has no known outcome. Says what is known and that the payment won't be sent twice. */
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../kit/design/button.js';
import { money } from '../../kit/format/money.js';
import { beginAt } from '../../kit/shell/begin-at.js';
import { after } from '../../kit/text/index.js';
import type { PaymentState } from './payment-state.js';

interface CheckingProps {
  state: Extract<PaymentState, { step: 'checking' }>;
  askNow: () => void;
}

export function Checking({ state, askNow }: CheckingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => beginAt(heading.current), [state.known]);
  const text = after.checking;
  const amount = money(state.amount);
  return (
    <section class="statement waiting">
      <span class="statement-icon">
        <span class="spinner" aria-hidden="true" />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {state.known === 'dropped' ? text.title : text.titleProcessing}
      </h1>
      <p>{state.known === 'dropped' ? text.dropped(amount) : text.processing(amount)}</p>
      <p>
        <b>{text.noRepeat}</b>
      </p>
      <p role="status">{state.offline ? text.offline : ''}</p>
      <Button kind="secondary" onPress={askNow}>
        {text.now}
      </Button>
    </section>
  );
}
