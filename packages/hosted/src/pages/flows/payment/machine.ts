/** Runs the effects that `payment-state.ts` returns: requests, timers and messages to the merchant's page. */
import type { Attempt, PaymentPageSession, PayRequest, Receipt } from '@shared/page.js';
import type { FlowState } from '../../../messages.js';
import type { Form } from '../../kit/design/form.js';
import type { ApiResult } from '../../kit/shell/api.js';
import { newId } from '../../kit/shell/send.js';
import { unsettledAttempt, attemptKey, withStorage } from '../../kit/shell/attempt.js';
import { hasPaymentOutcome, type Shell } from '../../kit/shell/shell.js';
import { refuseIn } from '../../kit/source/source-check.js';
import {
  pollDelayMs,
  totalOf,
  transition,
  type PaymentEffect,
  type PaymentEvent,
  type PaymentState,
} from './payment-state.js';
import { historyState, type HistoryState } from '../../../page-state.js';

const PAID_OR_PENDING = /^(Succeeded|Processing)$/;

/** Delay before a tab looks up a payment that another one has just sent. */
const OTHER_TABS_MS = 500;

/** Connects the tabs of a session. Undefined if the browser denies this frame storage. */
function channelOf(sessionId: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(`payment ${sessionId}`);
  } catch {
    return undefined;
  }
}

function initialState(session: PaymentPageSession): PaymentState {
  if (session.receipt !== undefined) return { step: 'paid', receipt: session.receipt, methodSaved: false };
  if (PAID_OR_PENDING.test(session.status) && session.inFlight === undefined)
    return { step: 'stopped', why: 'over' };

  const unsettled = unsettledAttempt(session);
  if (unsettled !== undefined) {
    const known = session.inFlight === undefined ? 'dropped' : 'processing';
    const amount = session.inFlightAmount ?? totalOf(session.charges);
    return { step: 'checking', attemptId: unsettled, amount, known, polls: 0, offline: false };
  }
  if (session.automaticPayment) return { step: 'stopped', why: 'automatic' };
  if (session.attemptsLeft <= 0) return { step: 'stopped', why: 'too_many_attempts' };
  if (session.unavailable !== undefined) return { step: 'stopped', why: 'payments_unavailable' };
  return { step: 'form', attemptId: newId() };
}

export class PaymentMachine {
  readonly #session: PaymentPageSession;
  readonly #shell: Shell;
  /** Shows the problems that the service found. */
  readonly #form: () => Form;
  readonly #onState: (state: PaymentState) => void;
  readonly #otherTabs: BroadcastChannel | undefined;
  /**
   * The last report from another tab. Undefined once a newer response of the service says that nothing is in flight.
   */
  #lastReport: MessageEvent<FlowState> | undefined;
  #hasEnded = false;
  #state: PaymentState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    session: PaymentPageSession,
    shell: Shell,
    form: () => Form,
    onState: (state: PaymentState) => void,
  ) {
    this.#session = session;
    this.#shell = shell;
    this.#form = form;
    this.#onState = onState;
    this.#state = initialState(session);
    this.#otherTabs = channelOf(session.id);
  }

  begin(): void {
    addEventListener('online', this.#pollNow);
    this.#otherTabs?.addEventListener('message', this.#onOtherTab);
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#onState(this.#state);
    this.#announce();
  }

  end(): void {
    this.#hasEnded = true;
    removeEventListener('online', this.#pollNow);
    this.#otherTabs?.removeEventListener('message', this.#onOtherTab);
    document.removeEventListener('visibilitychange', this.#onVisible);
    clearTimeout(this.#timer);
  }

  send(event: PaymentEvent): void {
    const [next, effects] = transition(this.#state, event);
    this.#state = next;
    this.#onState(next);
    for (const effect of effects) this.#run(effect);
  }

  readonly #onVisible = (): void => void this.#checkOtherTabs();

  readonly #pollNow = (): void => this.send({ type: 'poll_now' });

  /** Another tab has sent a payment, which the service may not have received yet, or has the outcome of one. */
  readonly #onOtherTab = (report: MessageEvent<FlowState>): void => {
    this.#lastReport = report;
    if (!this.#mayCheckOtherTabs()) return;

    this.#shell.report('unsure');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#checkOtherTabs, OTHER_TABS_MS);
  };

  /** Whether a payment from elsewhere would replace what the page shows. */
  #mayCheckOtherTabs(): boolean {
    return /form|stopped/.test(this.#state.step) && !hasPaymentOutcome(this.#session) && !this.#hasEnded;
  }

  /** Shows the payment that another tab or device has made. Until the session is read, closing is `unknown`. */
  readonly #checkOtherTabs = async (): Promise<void> => {
    if (document.hidden || !this.#mayCheckOtherTabs()) return;

    const lastReport = this.#lastReport;
    this.#shell.report('unsure');
    const result = await this.#shell.api.get<PaymentPageSession>('session');
    if (!this.#mayCheckOtherTabs() || this.#lastReport !== lastReport) return;

    if (result.kind === 'ok') {
      if (hasPaymentOutcome(result.data)) return this.#shell.reload();
      if (lastReport?.data !== 'processing') this.#lastReport = undefined;
    }
    if (this.#lastReport === undefined) this.#shell.report('form');
  };

  /** Reports the initial state to the merchant's page. */
  #announce(): void {
    const state = this.#state;
    const shell = this.#shell;
    if (state.step === 'checking') {
      rememberAttempt(state.attemptId);
      shell.report('processing');
      const afterMs = state.known === 'dropped' ? 0 : pollDelayMs(0);
      this.#run({ do: 'poll', attemptId: state.attemptId, afterMs });
    } else if (state.step === 'paid') {
      // Opening a paid session announces the payment again.
      this.#run({ do: 'completed', receipt: state.receipt });
      shell.report('done');
    } else if (state.step === 'stopped' && state.why === 'over') {
      shell.completed(completedDetail(this.#session, this.#session.status, []));
      shell.report('done');
    } else if (this.#session.status === 'Failed') {
      // Nothing is in flight, because a returned payment is final.
      shell.report('form');
    }
  }

  #run(effect: PaymentEffect): void {
    const shell = this.#shell;
    switch (effect.do) {
      case 'pay':
        void this.#pay(effect.request);
        break;
      case 'poll':
        this.#pollLater(effect.afterMs, () => shell.api.get(attemptPath(effect.attemptId)));
        break;
      case 'give_up': {
        const path = `${attemptPath(effect.attemptId)}/abandon`;
        this.#pollLater(effect.afterMs, () => shell.api.post(path), true);
        break;
      }
      case 'leave_challenge': {
        const path = `${attemptPath(effect.attemptId)}/${effect.givesUp ? 'cancel' : 'returned'}`;
        this.#pollLater(0, () => shell.api.post(path));
        break;
      }
      case 'remember':
        rememberAttempt(effect.attemptId);
        break;
      case 'report':
        shell.report(effect.state);
        this.#otherTabs?.postMessage(effect.state);
        if (this.#lastReport !== undefined) void this.#checkOtherTabs();
        break;
      case 'completed': {
        const { status, charges } = effect.receipt;
        const Status = status === 'succeeded' ? 'Succeeded' : 'Processing';
        shell.completed(completedDetail(this.#session, Status, charges));
        break;
      }
      case 'reload':
        void shell.reload();
        break;
    }
  }

  async #pay(request: PayRequest): Promise<void> {
    const result = await this.#shell.api.post<Attempt>('pay', request);
    if (result.kind === 'ok') return this.#onAttempt(result.data);
    if (result.kind === 'unreachable') return this.send({ type: 'dropped' });

    this.send({ type: 'refused', code: result.code });
    if (result.code === 'invalid') refuseIn(this.#form(), result.errors);
  }

  /** @param givenUp the request abandons the attempt unless it has started */
  #pollLater(afterMs: number, request: () => Promise<ApiResult<Attempt>>, givenUp = false): void {
    const onResult = (result: ApiResult<Attempt>): void => {
      // If a status request is refused, the payment's outcome is still unknown. `expired`: it was paid over a day ago.
      if (result.kind === 'ok') this.#onAttempt(result.data, givenUp);
      else if (result.kind === 'refused' && /^(conflict|expired)$/.test(result.code))
        this.send({ type: 'paid_elsewhere' });
      else this.send({ type: 'no_response' });
    };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void request().then(onResult), afterMs);
  }

  #onAttempt(attempt: Attempt, givenUp = false): void {
    this.send({ type: 'outcome', attempt, nextAttemptId: newId(), givenUp });
  }
}

function attemptPath(attemptId: string): string {
  return `attempts/${encodeURIComponent(attemptId)}`;
}

/** Sent to the merchant's page: the status, and the merchant's own reference and metadata. */
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

export function rememberAttempt(attemptId: string | undefined): void {
  const { secret } = historyState(window);
  const next: HistoryState = {
    ...(secret === undefined ? {} : { secret }),
    ...(attemptId === undefined ? {} : { attemptId }),
  };
  history.replaceState(next, '');
  if (window.parent !== window) window.name = attemptId ?? '';
  withStorage((store) =>
    attemptId === undefined ? store.removeItem(attemptKey()) : store.setItem(attemptKey(), attemptId),
  );
}
