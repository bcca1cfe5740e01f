/** Replaces the form with the receipt, the pending state, or the reason why nothing can be paid. */
import type { PaymentPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { LinkButton } from '../../kit/design/link-button.js';
import { Icon } from '../../kit/design/icons.js';
import { webUrl } from '../../kit/design/web-url.js';
import { Statement } from '../../kit/shell/problem.js';
import { useShell } from '../../kit/shell/shell.js';
import { mayRenew } from '../../kit/shell/surroundings.js';
import { after, rest, t } from '../../kit/text/index.js';
import { ChallengeView } from './challenge.js';
import { Checking } from './checking.js';
import type { PaymentEvent, PaymentState } from './payment-state.js';
import { ReceiptView } from './receipt-view.js';

interface OutcomeProps {
  session: PaymentPageSession;
  state: PaymentState;
  send: (event: PaymentEvent) => void;
}

export function Outcome({ session, state, send }: OutcomeProps) {
  const { business } = useShell();
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
  return (
    <Statement icon={text === after.over ? 'check' : 'alert'} title={text.title} body={text.body(business)}>
      <NextStep
        session={session}
        renews={text === after.failed || text === after.tooMany}
        retries={text === after.unavailable}
      />
    </Statement>
  );
}

function stoppedText({ status }: PaymentPageSession, state: PaymentState): typeof after.failed {
  if (status === 'Failed') return after.failed;
  if (state.step !== 'stopped') return after.unavailable;

  const texts: Record<typeof state.why, typeof after.failed> = {
    over: after.over,
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
      <NextStep session={session} />
    </Statement>
  );
}

interface NextStepProps {
  session: PaymentPageSession;
  /** The payer could pay with a new session. */
  renews?: boolean;
  /** The payer may be able to pay this session later. */
  retries?: boolean;
}

/** Shows what the payer can do next. A stand-alone page without a return URL may have no next step. */
function NextStep({ session, renews = false, retries = false }: NextStepProps) {
  const { business, framed, close, reload } = useShell();
  const href = webUrl(session.returnUrl);
  const canPayAgain = renews && mayRenew();
  const kind = canPayAgain || retries ? 'secondary' : 'primary';
  return (
    <div class="actions">
      {canPayAgain && <Button onPress={() => close('renew')}>{after.payAgain}</Button>}
      {retries && <Button onPress={reload}>{rest.common.tryAgain}</Button>}
      {href !== null && (
        <LinkButton href={href} kind={kind}>
          <Icon name="back" />
          {t.common.backTo(business)}
        </LinkButton>
      )}
      {href === null && framed && (
        <Button kind={kind} onPress={() => close('cancel')}>
          {rest.common.close}
        </Button>
      )}
      {href === null && !framed && !retries && <p>{rest.common.youMayClose}</p>}
    </div>
  );
}
