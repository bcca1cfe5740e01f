/** Carries out the effects that `payment-state.ts` returns: requests, timers and messages to the frame. */
import type { Attempt, PaymentPageSession, Receipt } from '@shared/page.js';
import type { Form } from '../../kit/design/form.js';
import type { Answer } from '../../kit/shell/api.js';
import { keepAttempt } from '../../kit/shell/keep-attempt.js';
import { newId } from '../../kit/shell/new-id.js';
import { unsettledAttempt } from '../../kit/shell/secret.js';
import type { Shell } from '../../kit/shell/shell.js';
import { refuseIn } from '../../kit/source/source-check.js';
import {
  askAfterMs,
  transition,
  type PaymentEffect,
  type PaymentEvent,
  type PaymentState,
} from './payment-state.js';

const TAKEN = /^(Succeeded|Processing)$/;

function initialState(session: PaymentPageSession): PaymentState {
  const amount = session.charges.reduce((sum, charge) => sum + charge.amount, 0);
  if (session.receipt !== undefined) return { step: 'paid', receipt: session.receipt, methodSaved: false };
  if (TAKEN.test(session.status) && session.inFlight === undefined) return { step: 'stopped', why: 'over' };
  const unsettled = unsettledAttempt(session);
  if (unsettled !== undefined) {
    const known = session.inFlight === undefined ? 'dropped' : 'processing';
    return { step: 'checking', attemptId: unsettled, amount, known, polls: 0, offline: false, notices: 0 };
  }
  if (session.attemptsLeft <= 0) return { step: 'stopped', why: 'too_many_attempts' };
  if (session.unavailable !== undefined) return { step: 'stopped', why: 'payments_unavailable' };
  return { step: 'form', attemptId: newId(), notices: 0 };
}

export interface Outside {
  shell: Shell;
  /** Shows the problems that the service found. */
  form: Form;
  onReload: () => void;
}

export interface Machine {
  begin: () => void;
  send: (event: PaymentEvent) => void;
  end: () => void;
}

export function createMachine(
  session: PaymentPageSession,
  outside: () => Outside,
  onState: (state: PaymentState) => void,
): Machine {
  let state = initialState(session);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = (event: PaymentEvent): void => {
    const [next, effects] = transition(state, event);
    state = next;
    onState(next);
    for (const effect of effects) run(effect);
  };

  const learn = (attempt: Attempt, givenUp = false): void =>
    send({ type: 'outcome', attempt, nextAttemptId: newId(), givenUp });
  const later = (afterMs: number, question: () => Promise<Answer<Attempt>>, givesUp: boolean): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A refused status request says nothing about the payment.
      void question().then((answer) =>
        answer.kind === 'ok' ? learn(answer.data, givesUp) : send({ type: 'not_answered' }),
      );
    }, afterMs);
  };

  const run = (effect: PaymentEffect): void => {
    const { shell, onReload } = outside();
    switch (effect.do) {
      case 'pay':
        void shell.api.post<Attempt>('pay', effect.request).then((answer) => {
          if (answer.kind === 'ok') learn(answer.data);
          else if (answer.kind === 'unreachable') send({ type: 'dropped' });
          else {
            send({ type: 'refused', code: answer.code });
            if (answer.code === 'invalid') refuseIn(outside().form, answer.errors);
          }
        });
        break;
      case 'ask':
        later(effect.afterMs, () => shell.api.get(attemptPath(effect.attemptId)), false);
        break;
      case 'give_up':
        later(effect.afterMs, () => shell.api.post(`${attemptPath(effect.attemptId)}/abandon`), true);
        break;
      case 'leave_challenge': {
        const end = effect.givesUp ? 'cancel' : 'returned';
        later(0, () => shell.api.post(`${attemptPath(effect.attemptId)}/${end}`), false);
        break;
      }
      case 'keep':
        keepAttempt(effect.attemptId);
        break;
      case 'report':
        shell.report(effect.state);
        break;
      case 'completed':
        shell.completed(
          completedDetail(
            session,
            effect.receipt.status === 'succeeded' ? 'Succeeded' : 'Processing',
            effect.receipt.charges,
          ),
        );
        break;
      case 'reload':
        onReload();
        break;
    }
  };

  const online = (): void => send({ type: 'ask_now' });
  return {
    begin() {
      addEventListener('online', online);
      onState(state);
      const { shell } = outside();
      if (state.step === 'checking') {
        shell.report('processing');
        run({
          do: 'ask',
          attemptId: state.attemptId,
          afterMs: state.known === 'dropped' ? 0 : askAfterMs(0),
        });
      } else if (state.step === 'paid') {
        // Opening a paid session announces the payment again.
        run({ do: 'completed', receipt: state.receipt });
        shell.report('done');
      } else if (state.step === 'stopped' && state.why === 'over') {
        shell.completed(completedDetail(session, session.status, []));
        shell.report('done');
      } else if (session.status === 'Failed') {
        // The payment is final, so the session can't expire.
        shell.report('done');
      }
    },
    send,
    end() {
      removeEventListener('online', online);
      clearTimeout(timer);
    },
  };
}

function attemptPath(attemptId: string): string {
  return `attempts/${encodeURIComponent(attemptId)}`;
}

/** What the merchant's page receives: the status, and its own reference and metadata. */
function completedDetail(session: PaymentPageSession, Status: string, charges: Receipt['charges']): unknown {
  return {
    Status,
    ...(session.clientReference === undefined ? {} : { ClientReference: session.clientReference }),
    ...(session.customMeta === undefined ? {} : { CustomMeta: session.customMeta }),
    Charges: charges.map(({ index, amount }) => {
      const meta = session.chargeMeta[index];
      return { Amount: amount, ...(meta === null || meta === undefined ? {} : { CustomMeta: meta }) };
    }),
  };
}
