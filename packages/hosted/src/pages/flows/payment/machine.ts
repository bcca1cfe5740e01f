/** Carries out the effects that `payment-state.ts` returns: requests, timers and messages to the frame. */
import type { Attempt, PaymentPageSession, PayRequest, Receipt } from '@shared/page.js';
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

export class PaymentMachine {
  readonly #session: PaymentPageSession;
  readonly #outside: () => Outside;
  readonly #onState: (state: PaymentState) => void;
  #state: PaymentState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: PaymentPageSession, outside: () => Outside, onState: (state: PaymentState) => void) {
    this.#session = session;
    this.#outside = outside;
    this.#onState = onState;
    this.#state = initialState(session);
  }

  begin(): void {
    addEventListener('online', this.#askNow);
    this.#onState(this.#state);
    this.#announce();
  }

  end(): void {
    removeEventListener('online', this.#askNow);
    clearTimeout(this.#timer);
  }

  send(event: PaymentEvent): void {
    const [next, effects] = transition(this.#state, event);
    this.#state = next;
    this.#onState(next);
    for (const effect of effects) this.#run(effect);
  }

  readonly #askNow = (): void => this.send({ type: 'ask_now' });

  /** Tells the page around the frame how far the payment is when it opens. */
  #announce(): void {
    const state = this.#state;
    const { shell } = this.#outside();
    if (state.step === 'checking') {
      shell.report('processing');
      const afterMs = state.known === 'dropped' ? 0 : askAfterMs(0);
      this.#run({ do: 'ask', attemptId: state.attemptId, afterMs });
    } else if (state.step === 'paid') {
      // Opening a paid session announces the payment again.
      this.#run({ do: 'completed', receipt: state.receipt });
      shell.report('done');
    } else if (state.step === 'stopped' && state.why === 'over') {
      shell.completed(completedDetail(this.#session, this.#session.status, []));
      shell.report('done');
    } else if (this.#session.status === 'Failed') {
      // The payment is final, so the session can't expire.
      shell.report('done');
    }
  }

  #run(effect: PaymentEffect): void {
    const { shell, onReload } = this.#outside();
    switch (effect.do) {
      case 'pay':
        void this.#pay(effect.request);
        break;
      case 'ask':
        this.#askLater(effect.afterMs, () => shell.api.get(attemptPath(effect.attemptId)));
        break;
      case 'give_up': {
        const path = `${attemptPath(effect.attemptId)}/abandon`;
        this.#askLater(effect.afterMs, () => shell.api.post(path), true);
        break;
      }
      case 'leave_challenge': {
        const path = `${attemptPath(effect.attemptId)}/${effect.givesUp ? 'cancel' : 'returned'}`;
        this.#askLater(0, () => shell.api.post(path));
        break;
      }
      case 'keep':
        keepAttempt(effect.attemptId);
        break;
      case 'report':
        shell.report(effect.state);
        break;
      case 'completed': {
        const { status, charges } = effect.receipt;
        const Status = status === 'succeeded' ? 'Succeeded' : 'Processing';
        shell.completed(completedDetail(this.#session, Status, charges));
        break;
      }
      case 'reload':
        onReload();
        break;
    }
  }

  async #pay(request: PayRequest): Promise<void> {
    const answer = await this.#outside().shell.api.post<Attempt>('pay', request);
    if (answer.kind === 'ok') return this.#learn(answer.data);
    if (answer.kind === 'unreachable') return this.send({ type: 'dropped' });

    this.send({ type: 'refused', code: answer.code });
    if (answer.code === 'invalid') refuseIn(this.#outside().form, answer.errors);
  }

  /** @param givenUp an attempt that the service has not seen by then can never start */
  #askLater(afterMs: number, ask: () => Promise<Answer<Attempt>>, givenUp = false): void {
    const learn = (answer: Answer<Attempt>): void => {
      // A refused status request says nothing about the payment.
      if (answer.kind === 'ok') this.#learn(answer.data, givenUp);
      else this.send({ type: 'not_answered' });
    };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void ask().then(learn), afterMs);
  }

  #learn(attempt: Attempt, givenUp = false): void {
    this.send({ type: 'outcome', attempt, nextAttemptId: newId(), givenUp });
  }
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
