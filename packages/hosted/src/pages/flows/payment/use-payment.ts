/** The state of a payment. `machine.ts`, which runs its transitions, loads after the form. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaymentPageSession } from '@shared/page.js';
import { unsettledAttempt } from '../../kit/shell/attempt.js';
import type { LatePart } from './late.js';
import type { PaymentContext, PaymentMachine } from './machine.js';
import type { PaymentEvent, PaymentState } from './payment-state.js';

/** Until `late` has loaded, returns only the form state, and `send` does nothing. */
export function usePayment(
  session: PaymentPageSession,
  late: LatePart | undefined,
  context: PaymentContext,
): { state: PaymentState | undefined; send: (event: PaymentEvent) => void } {
  const [state, setState] = useState(() => untouched(session));
  const callbacks = useRef(context);
  callbacks.current = context;
  const machine = useRef<PaymentMachine | undefined>(undefined);

  useEffect(() => {
    if (late === undefined) return undefined;

    const made = new late.PaymentMachine(session, () => callbacks.current, setState);
    machine.current = made;
    made.begin();
    return () => made.end();
  }, [late, session]);

  return { state, send: (event) => machine.current?.send(event) };
}

/** Returns the form state, or undefined if only `initialState` can tell. */
function untouched(session: PaymentPageSession): PaymentState | undefined {
  const { status, attemptsLeft, unavailable } = session;
  const isOpen = status === 'RequiresPaymentSource' && attemptsLeft > 0 && unavailable === undefined;
  if (!isOpen || unsettledAttempt(session) !== undefined) return undefined;
  return { step: 'form', attemptId: '' };
}
