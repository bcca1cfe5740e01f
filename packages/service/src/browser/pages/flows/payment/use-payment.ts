/** Where a payment stands. What moves it is read behind the form (`machine.ts`). */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaymentPageSession } from '../../../../shared/page.js';
import { unsettledAttempt } from '../../kit/shell/secret.js';
import type { Late } from './late.js';
import type { Machine, Outside } from './machine.js';
import type { PaymentEvent, PaymentState } from './payment-state.js';

/** `send` does nothing before `late` is there. */
export function usePayment(
  session: PaymentPageSession,
  late: Late | undefined,
  outside: Outside,
): { state: PaymentState; send: (event: PaymentEvent) => void } {
  const [state, setState] = useState(() => initialState(session));
  const callbacks = useRef(outside);
  callbacks.current = outside;
  const machine = useRef<Machine | undefined>(undefined);

  useEffect(() => {
    if (late === undefined) return undefined;
    const made = late.createMachine(state, session, () => callbacks.current, setState);
    machine.current = made;
    made.begin();
    return made.end;
  }, [late]);

  return { state, send: (event) => machine.current?.send(event) };
}

const TAKEN = /^(Succeeded|Processing)$/;

function initialState(session: PaymentPageSession): PaymentState {
  const amount = session.charges.reduce((sum, charge) => sum + charge.amount, 0);
  if (session.receipt !== undefined) return { step: 'paid', receipt: session.receipt, methodSaved: false };
  if (TAKEN.test(session.status) && session.inFlight === undefined) return { step: 'stopped', why: 'over' };
  const unsettled = unsettledAttempt(session);
  if (unsettled !== undefined) {
    const known = session.inFlight === undefined ? 'dropped' : 'processing';
    return { step: 'checking', attemptId: unsettled, amount, known, asked: 0, offline: false, notices: 0 };
  }
  if (session.attemptsLeft <= 0) return { step: 'stopped', why: 'too_many_attempts' };
  if (session.unavailable !== undefined) return { step: 'stopped', why: 'payments_unavailable' };
  return { step: 'form', attemptId: crypto.randomUUID(), notices: 0 };
}
