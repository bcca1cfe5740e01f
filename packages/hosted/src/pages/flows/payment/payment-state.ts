/**
 * A payment as the page sees it, decided purely: `transition(state, event) → [next, effects]`.
 * The rule behind it: once a payment was sent, nothing but the service's word ends it. A lost answer is asked after,
 * never sent again by the page; and before it is said that it never arrived, the service has given up its id, so that
 * whatever still arrives of it charges nothing.
 */
import type { Attempt, PayRequest, Receipt } from '../../../../../service/src/shared/page.js';
import type { Refusal } from '../../kit/shell/api.js';

/** What a request body holds besides the attempt's id. */
export type Order = Omit<PayRequest, 'attemptId'>;

export type FormNotice =
  | { kind: 'declined'; attemptsLeft: number }
  /** The service never saw the attempt and will not begin it: it may be sent again. */
  | { kind: 'never_arrived' }
  | { kind: 'failed'; code: Refusal };

export type PaymentState =
  | { step: 'form'; attemptId: string; notice?: FormNotice; notices: number }
  | { step: 'sending'; attemptId: string; amount: number; notices: number }
  | {
      step: 'checking';
      attemptId: string;
      /** Cents; unknown when the page was reloaded while paying. */
      amount: number;
      /** `dropped`: no answer to the payment; `processing`: the service has it and has no outcome yet. */
      known: 'dropped' | 'processing';
      /** Times that the service was asked since something new was known. */
      asked: number;
      /** The last question got no answer. */
      offline: boolean;
      notices: number;
    }
  | { step: 'paid'; receipt: Receipt; methodSaved: boolean }
  /** `over`: paid days ago, and the receipt is shown no more. */
  | { step: 'stopped'; why: 'too_many_attempts' | 'payments_unavailable' | 'over' };

export type PaymentEvent =
  | { type: 'submit'; order: Order }
  /** `givenUp`: what was never seen by now never begins. */
  | { type: 'outcome'; attempt: Attempt; nextAttemptId: string; givenUp?: boolean }
  /** The payment itself was refused. */
  | { type: 'refused'; code: Refusal }
  /** No answer to the payment itself. */
  | { type: 'dropped' }
  /** No answer to a question about it. */
  | { type: 'not_answered' }
  | { type: 'ask_now' };

export type PaymentEffect =
  | { do: 'pay'; request: PayRequest }
  | { do: 'ask'; attemptId: string; afterMs: number }
  /** Ask, and have it given up where it did not begin. */
  | { do: 'give_up'; attemptId: string; afterMs: number }
  /** Keep the attempt's id over a reload of the page, or forget it. */
  | { do: 'keep'; attemptId: string | undefined }
  | { do: 'report'; state: 'form' | 'processing' | 'done' }
  | { do: 'completed'; receipt: Receipt }
  /** Read the session again: something else has settled it. */
  | { do: 'reload' };

type Next = readonly [PaymentState, readonly PaymentEffect[]];

const FIRST_ASK_MS = 800;
const SLOWEST_ASK_MS = 5_000;

/** Time until the next question: soon at first, then every five seconds. */
export function askAfterMs(asked: number): number {
  return Math.min(FIRST_ASK_MS * 1.6 ** asked, SLOWEST_ASK_MS);
}

export function transition(state: PaymentState, event: PaymentEvent): Next {
  switch (event.type) {
    case 'submit': {
      if (state.step !== 'form') return [state, []];
      const { attemptId, notices } = state;
      const amount = event.order.charges.reduce((sum, charge) => sum + charge.amount, 0);
      return [
        { step: 'sending', attemptId, amount, notices },
        [
          { do: 'report', state: 'processing' },
          { do: 'keep', attemptId },
          { do: 'pay', request: { attemptId, ...event.order } },
        ],
      ];
    }
    case 'dropped':
      if (state.step !== 'sending') return [state, []];
      return check(state, 'dropped', 0, false);
    case 'not_answered':
      if (state.step !== 'checking') return [state, []];
      return check(state, state.known, state.asked + 1, true);
    case 'ask_now':
      if (state.step !== 'checking') return [state, []];
      return [state, [{ do: 'ask', attemptId: state.attemptId, afterMs: 0 }]];
    case 'outcome':
      return settle(state, event);
    case 'refused':
      return refuse(state, event.code);
  }
}

function settle(
  state: PaymentState,
  { attempt, nextAttemptId, givenUp = false }: Extract<PaymentEvent, { type: 'outcome' }>,
): Next {
  // A late answer to an earlier question, or about another attempt, changes nothing.
  if (state.step !== 'sending' && state.step !== 'checking') return [state, []];
  if (attempt.attemptId !== state.attemptId) return [state, []];
  const { attemptId, notices } = state;
  switch (attempt.status) {
    case 'succeeded':
    case 'pending':
      return [
        { step: 'paid', receipt: attempt.receipt, methodSaved: attempt.savedMethod !== undefined },
        [
          { do: 'keep', attemptId: undefined },
          { do: 'completed', receipt: attempt.receipt },
          { do: 'report', state: 'done' },
        ],
      ];
    case 'declined': {
      const over: readonly PaymentEffect[] = [
        { do: 'keep', attemptId: undefined },
        { do: 'report', state: 'form' },
      ];
      return attempt.attemptsLeft <= 0
        ? [{ step: 'stopped', why: 'too_many_attempts' }, over]
        : [
            {
              step: 'form',
              attemptId: nextAttemptId,
              notice: { kind: 'declined', attemptsLeft: attempt.attemptsLeft },
              notices: notices + 1,
            },
            over,
          ];
    }
    case 'processing': {
      const asked = state.step === 'checking' && state.known === 'processing' ? state.asked + 1 : 0;
      return check(state, 'processing', asked, false);
    }
    case 'never_seen': {
      const asked = state.step === 'checking' ? state.asked + 1 : 1;
      if (!givenUp) {
        const [next] = check(state, 'dropped', asked, false);
        return [next, [{ do: 'give_up', attemptId, afterMs: askAfterMs(asked) }]];
      }
      return [
        { step: 'form', attemptId: nextAttemptId, notice: { kind: 'never_arrived' }, notices: notices + 1 },
        [
          { do: 'keep', attemptId: undefined },
          { do: 'report', state: 'form' },
        ],
      ];
    }
  }
}

function check(
  { attemptId, amount, notices }: Extract<PaymentState, { attemptId: string; amount: number }>,
  known: 'dropped' | 'processing',
  asked: number,
  offline: boolean,
): Next {
  return [
    { step: 'checking', attemptId, amount, known, asked, offline, notices },
    [{ do: 'ask', attemptId, afterMs: askAfterMs(asked) }],
  ];
}

function refuse(state: PaymentState, code: Refusal): Next {
  if (state.step !== 'sending') return [state, []];
  const { attemptId, notices } = state;
  const over: readonly PaymentEffect[] = [
    { do: 'keep', attemptId: undefined },
    { do: 'report', state: 'form' },
  ];
  switch (code) {
    case 'too_many_attempts':
      return [{ step: 'stopped', why: code }, over];
    case 'conflict':
      return [{ step: 'form', attemptId, notices }, [...over, { do: 'reload' }]];
    case 'payments_unavailable':
    case 'invalid':
    case 'not_found':
    case 'rate_limited':
    case 'expired':
    case 'canceled':
    case 'unauthorized':
      // The service refused it before it became an attempt: the id is still unused.
      return [{ step: 'form', attemptId, notice: { kind: 'failed', code }, notices: notices + 1 }, over];
  }
}
