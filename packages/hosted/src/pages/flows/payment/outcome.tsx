/** Replaces the form with the receipt, the pending state, or the reason why nothing can be paid. */
import type { PaymentPageSession } from '@shared/page.js';
import { mayRenew, NextStep } from '../../kit/shell/next-step.js';
import { Statement } from '../../kit/shell/problem.js';
import { useShell } from '../../kit/shell/shell.js';
import { after, pay, rest } from '../../kit/text/index.js';
import { ChallengeView } from './challenge.js';
import { Checking } from './checking.js';
import type { PaymentEvent, PaymentState } from './payment-state.js';
import { ReceiptView, ReturnedPayment } from './receipt-view.js';

interface OutcomeProps {
  session: PaymentPageSession;
  state: PaymentState;
  send: (event: PaymentEvent) => void;
}

export function Outcome({ session, state, send }: OutcomeProps) {
  const shell = useShell();
  if (state.step === 'paid') {
    return <ReceiptView session={session} receipt={state.receipt} methodSaved={state.methodSaved} />;
  }
  if (state.step === 'challenge') {
    const leave = (givesUp: boolean): void => send({ type: 'challenge_left', givesUp });
    return <ChallengeView key={state.url} state={state} onLeave={leave} />;
  }
  if (state.step === 'checking')
    return <Checking state={state} checkNow={() => send({ type: 'poll_now' })} />;

  const text = stoppedText(session, state);
  const again = text === after.failed ? after.payAgain : text === after.tooMany && rest.common.startAgain;
  const renewing = again !== false && mayRenew() && ([again, () => shell.close('renew')] as const);
  return (
    <Statement
      icon={text === after.over ? 'check' : 'alert'}
      title={text.title}
      // Omits the text that sends the payer back to the merchant, because the button does.
      body={renewing ? (text === after.tooMany ? pay.notCharged : undefined) : text.body(shell.business)}
    >
      {session.returned && <ReturnedPayment payment={session.returned} />}
      <NextStep
        returnUrl={session.returnUrl}
        first={text === after.unavailable ? [rest.common.tryAgain, () => void shell.reload()] : renewing}
        contact={text === after.unavailable}
      />
    </Statement>
  );
}

function stoppedText({ status, disputed }: PaymentPageSession, state: PaymentState): typeof after.failed {
  if (disputed) return after.over;
  if (status === 'Failed') return after.failed;
  if (state.step !== 'stopped') return after.unavailable;

  const texts: Record<typeof state.why, typeof after.failed> = {
    over: after.over,
    automatic: { title: rest.invalid.paymentInProgress, ...after.automatic },
    too_many_attempts: after.tooMany,
    payments_unavailable: after.unavailable,
  };
  return texts[state.why];
}

/** Shown next to the summary. */
export function NoMethod({ session }: { session: PaymentPageSession }) {
  const { business } = useShell();
  return (
    <Statement icon="card" title={rest.method.none} body={rest.method.noneBody(business)}>
      <NextStep returnUrl={session.returnUrl} contact />
    </Statement>
  );
}
