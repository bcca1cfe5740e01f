/** The state of a payment. `machine.ts`, which runs its transitions, loads after the form. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PaymentPageSession } from '@shared/page.js';
import type { Form } from '../../kit/design/form.js';
import { unsettledAttempt } from '../../kit/shell/attempt.js';
import { useShell } from '../../kit/shell/shell.js';
import { late } from './late-part.js';
import type { PaymentMachine } from './machine.js';
import type { PaymentEvent, PaymentState } from './payment-state.js';

/** Until the late part has loaded, returns only the form state, and `send` does nothing. */
export function usePayment(
  session: PaymentPageSession,
  form: Form,
): { state: PaymentState | undefined; send: (event: PaymentEvent) => void } {
  const [state, setState] = useState(() => untouched(session));
  const shell = useShell();
  const latestForm = useRef(form);
  latestForm.current = form;
  const machine = useRef<PaymentMachine | undefined>(undefined);

  const { part } = late;
  useEffect(() => {
    if (part === undefined) return undefined;

    const made = new part.PaymentMachine(session, shell, () => latestForm.current, setState);
    machine.current = made;
    made.begin();
    return () => made.end();
  }, [part, session, shell]);

  return { state, send: (event) => machine.current?.send(event) };
}

/** Returns the form state, or undefined if only `initialState` can tell. */
function untouched(session: PaymentPageSession): PaymentState | undefined {
  const { status, attemptsLeft, unavailable } = session;
  const isOpen = status === 'RequiresPaymentSource' && attemptsLeft > 0 && unavailable === undefined;
  if (!isOpen || unsettledAttempt(session) !== undefined) return undefined;
  return { step: 'form', attemptId: '' };
}
