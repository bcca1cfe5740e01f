/** Shown while the outcome of a payment is unknown. Says that the payment won't be sent twice. */
import { useState } from 'preact/hooks';
import { Button } from '../../kit/design/button.js';
import { money } from '../../kit/format/money.js';
import { StatementHeading } from '../../kit/shell/problem.js';
import { after, t } from '../../kit/text/index.js';
import type { PaymentState } from './payment-state.js';

interface CheckingProps {
  state: Extract<PaymentState, { step: 'checking' }>;
  checkNow: () => void;
}

export function Checking({ state, checkNow }: CheckingProps) {
  const text = after.checking;
  const amount = money(state.amount);
  /** The state when the payer pressed the button. Each response creates a new one, even if nothing has changed. */
  const [checkedState, setCheckedState] = useState<CheckingProps['state']>();
  const isChecking = checkedState === state;
  const unchanged = checkedState && state.known === 'processing' ? after.payingStatus : '';
  const status = state.offline ? text.offline : unchanged;
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
      <Button
        kind="secondary"
        busy={isChecking}
        onPress={() => {
          setCheckedState(state);
          checkNow();
        }}
      >
        {text.now}
      </Button>
      <p role="status">{isChecking ? t.common.working : status}</p>
    </section>
  );
}
