import type { SessionRef } from '@embedded-sessions/loader';
import { useEffect, useState } from 'react';
import { createSession, define, payInModal } from '../../loader';

export default function Page() {
  const [status, setStatus] = useState('');
  const [session, setSession] = useState<SessionRef>();
  const [paid, setPaid] = useState(false);
  useEffect(define, []);
  return (
    <>
      <h1>Bill</h1>
      <button type="button" onClick={async () => setStatus(await payInModal())}>
        Pay in a modal
      </button>
      <output>{status}</output>
      <button type="button" onClick={async () => setSession(await createSession())}>
        Pay
      </button>
      <embedded-flow
        flow="payment"
        session={session}
        onsettled={(event: CustomEvent<{ status: string }>) => setPaid(event.detail.status === 'completed')}
      />
      {paid && <p role="status">Thank you</p>}
    </>
  );
}
