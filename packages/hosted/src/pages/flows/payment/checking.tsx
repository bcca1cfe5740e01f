/** Shown while the outcome of a payment is unknown. Says that the payment won't be sent twice. */
import { Button } from '../../kit/design/button.js';
import { money } from '../../kit/format/money.js';
import { StatementHeading } from '../../kit/shell/problem.js';
import { after } from '../../kit/text/index.js';
import type { PaymentState } from './payment-state.js';

interface CheckingProps {
  state: Extract<PaymentState, { step: 'checking' }>;
  checkNow: () => void;
}

export function Checking({ state, checkNow }: CheckingProps) {
  const text = after.checking;
  const amount = money(state.amount);
  return (
    <section class="statement waiting">
      <span class="statement-icon">
        <span class="spinner" aria-hidden="true" />
      </span>
      <StatementHeading text={state.known === 'dropped' ? text.title : text.titleProcessing} />
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
