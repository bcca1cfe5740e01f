/** Shows the processor's challenge, such as 3-D Secure, in a frame, with a button to cancel it. */
import { useEffect, useRef } from 'preact/hooks';
import { CHALLENGE_RETURNED } from '@shared/returned.js';
import { Button } from '../../kit/design/button.js';
import { money } from '../../kit/format/money.js';
import { StatementHeading } from '../../kit/shell/problem.js';
import { after } from '../../kit/text/index.js';
import type { PaymentState } from './payment-state.js';

interface ChallengeProps {
  state: Extract<PaymentState, { step: 'challenge' }>;
  onLeave: (givesUp: boolean) => void;
}

/** Prevents the bank's page from navigating the merchant's. */
const SANDBOX = 'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox';

export function ChallengeView({ state, onLeave }: ChallengeProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  useEffect(() => {
    const listen = ({ data, origin, source }: MessageEvent): void => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return;
      if ((data as { type?: unknown } | null)?.type === CHALLENGE_RETURNED) leave.current(false);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  const text = after.challenge;
  return (
    <section class="statement challenge">
      <StatementHeading text={text.title} />
      <p>{text.body(money(state.amount))}</p>
      <iframe ref={frame} src={state.url} title={text.frame} sandbox={SANDBOX} />
      <Button kind="secondary" onPress={() => onLeave(true)}>
        {text.cancel}
      </Button>
    </section>
  );
}
