/** Shown while the outcome of a payment is unknown. Says that the payment won't be sent twice. */
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../kit/design/button.js';
import { money } from '../../kit/format/money.js';
import { showFromTop } from '../../kit/shell/show-from-top.js';
import { after } from '../../kit/text/index.js';
import type { PaymentState } from './payment-state.js';

interface CheckingProps {
  state: Extract<PaymentState, { step: 'checking' }>;
  checkNow: () => void;
}

export function Checking({ state, checkNow }: CheckingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => showFromTop(heading.current), [state.known]);
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
      <Button kind="secondary" onPress={checkNow}>
        {text.now}
      </Button>
    </section>
  );
}
