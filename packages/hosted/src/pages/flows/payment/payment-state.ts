/**
 * The payment state machine, a pure function: `transition(state, event) → [next, effects]`. Once a payment is sent, only
 * the service decides its outcome. If the response is lost, the page polls for the status and never sends the payment
 * again. It reports that a payment never arrived only after the service has abandoned the attempt's id, so a late
 * request with that id charges nothing.
 */
import type { Attempt, DeclineAdvice, PayRequest, Receipt } from '@shared/page.js';
import type { Refusal } from '../../kit/shell/api.js';

/** The request body without the attempt's id. */
export type Order = Omit<PayRequest, 'attemptId'>;

export type FormNotice =
  | { kind: 'declined'; attemptsLeft: number; advice: DeclineAdvice | undefined }
  /** The service never saw the attempt and will not start it, so the payer can safely try again. */
  | { kind: 'never_arrived' }
  | { kind: 'failed'; code: Refusal };

export type PaymentState =
  /** Each failure has a new `notice` object. */
  | { step: 'form'; attemptId: string; notice?: FormNotice }
  | { step: 'sending'; attemptId: string; amount: number }
  | {
      step: 'checking';
      attemptId: string;
      /** Cents. The whole bill if the page was reloaded before the service had the payment. */
      amount: number;
      /** `dropped`: the payment got no response. `processing`: the service has it, but no outcome yet. */
      known: 'dropped' | 'processing';
      /** Number of status requests since the last change. */
      polls: number;
      /** Address of the challenge that the payer has left. It is not shown again. */
      leftUrl?: string | undefined;
      /** The payer has given up the challenge. If the service doesn't respond to that, the challenge comes back. */
      givesUp?: boolean;
      /** The last status request got no response. */
      offline: boolean;
    }
  /** The payer must pass a challenge at this address. */
  | { step: 'challenge'; attemptId: string; amount: number; url: string }
  | { step: 'paid'; receipt: Receipt; methodSaved: boolean }
  /** `over`: paid days ago, so the receipt is no longer shown. */
  | { step: 'stopped'; why: 'too_many_attempts' | 'payments_unavailable' | 'over' | 'automatic' };

export type PaymentEvent =
  | { type: 'submit'; order: Order }
  /** `givenUp`: an attempt the service has not seen by now can never start. */
  | { type: 'outcome'; attempt: Attempt; nextAttemptId: string; givenUp?: boolean }
  /** The service refused the payment itself. */
  | { type: 'refused'; code: Refusal }
  /** The payment request got no response. */
  | { type: 'dropped' }
  /** A status request got no response. */
  | { type: 'no_response' }
  /** Another attempt of the session paid or is being processed, or this one paid so long ago that its receipt is gone. */
  | { type: 'paid_elsewhere' }
  | { type: 'poll_now' }
  /** The payer has finished the challenge, or gives it up. */
  | { type: 'challenge_left'; givesUp: boolean };

export type PaymentEffect =
  | { do: 'pay'; request: PayRequest }
  | { do: 'poll'; attemptId: string; afterMs: number }
  /** Ask for the status, and abandon the attempt if it has not started. */
  | { do: 'give_up'; attemptId: string; afterMs: number }
  /** Ask the processor for the outcome of the challenge, or end it. */
  | { do: 'leave_challenge'; attemptId: string; givesUp: boolean }
  /** Store the attempt's id to survive a reload, or remove it. */
  | { do: 'remember'; attemptId: string | undefined }
  | { do: 'report'; state: 'form' | 'processing' | 'done' }
  | { do: 'completed'; receipt: Receipt }
  /** Read the session again, because something else changed it. */
  | { do: 'reload' };

type Next = readonly [PaymentState, readonly PaymentEffect[]];

/** The attempt is over, and nothing was paid. */
const NOT_PAID: readonly PaymentEffect[] = [
  { do: 'remember', attemptId: undefined },
  { do: 'report', state: 'form' },
];

const FIRST_POLL_MS = 800;
const MAX_POLL_MS = 5_000;

/** Delay before the next status request. Grows from 0.8 to 5 seconds. */
export function pollDelayMs(polls: number): number {
  return Math.min(FIRST_POLL_MS * 1.6 ** polls, MAX_POLL_MS);
}

/** Cents. */
export function totalOf(charges: readonly { amount: number }[]): number {
  return charges.reduce((sum, charge) => sum + charge.amount, 0);
}

export function transition(state: PaymentState, event: PaymentEvent): Next {
  switch (event.type) {
    case 'submit': {
      if (state.step !== 'form') return [state, []];

      const { attemptId } = state;
      const amount = totalOf(event.order.charges);
      return [
        { step: 'sending', attemptId, amount },
        [
          // Before the report, which names it.
          { do: 'remember', attemptId },
          { do: 'report', state: 'processing' },
          { do: 'pay', request: { attemptId, ...event.order } },
        ],
      ];
    }
    case 'dropped':
      if (state.step !== 'sending') return [state, []];
      return check(state, 'dropped', 0, false);
    case 'no_response':
      if (state.step === 'challenge') return [state, [pollAgain(state.attemptId)]];
      if (state.step !== 'checking') return [state, []];
      return check(state, state.known, state.polls + 1, true, state.givesUp ? undefined : state.leftUrl);
    case 'paid_elsewhere':
      if (state.step !== 'checking' && state.step !== 'challenge') return [state, []];
      return [state, [{ do: 'remember', attemptId: undefined }, { do: 'reload' }]];
    case 'poll_now':
      if (state.step !== 'checking') return [state, []];
      return [state, [{ do: 'poll', attemptId: state.attemptId, afterMs: 0 }]];
    case 'challenge_left': {
      if (state.step !== 'challenge') return [state, []];
      const { attemptId, url } = state;
      const { givesUp } = event;
      const [next] = check(state, 'processing', 0, false, url);
      return [{ ...next, givesUp }, [{ do: 'leave_challenge', attemptId, givesUp }]];
    }
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
  // Ignore late responses to earlier requests or about other attempts.
  if (state.step !== 'sending' && state.step !== 'checking' && state.step !== 'challenge') return [state, []];
  if (attempt.attemptId !== state.attemptId) return [state, []];

  const { attemptId } = state;
  switch (attempt.status) {
    case 'succeeded':
    case 'pending':
      return [
        { step: 'paid', receipt: attempt.receipt, methodSaved: attempt.savedMethod !== undefined },
        [
          { do: 'remember', attemptId: undefined },
          { do: 'completed', receipt: attempt.receipt },
          { do: 'report', state: 'done' },
        ],
      ];
    case 'declined':
      return attempt.attemptsLeft <= 0
        ? [{ step: 'stopped', why: 'too_many_attempts' }, NOT_PAID]
        : [
            {
              step: 'form',
              attemptId: nextAttemptId,
              notice: { kind: 'declined', attemptsLeft: attempt.attemptsLeft, advice: attempt.advice },
            },
            NOT_PAID,
          ];
    case 'requires_action': {
      const { url } = attempt.action;
      const leftUrl = state.step === 'checking' ? state.leftUrl : undefined;
      if (url === leftUrl) return stillProcessing(state);
      const { amount } = state;
      return [{ step: 'challenge', attemptId, amount, url }, [pollAgain(attemptId)]];
    }
    case 'processing':
      return stillProcessing(state);
    case 'never_seen': {
      const polls = state.step === 'checking' ? state.polls + 1 : 1;
      if (!givenUp) {
        const known = state.step === 'checking' ? state.known : 'dropped';
        const [next] = check(state, known, polls, false);
        return [next, [{ do: 'give_up', attemptId, afterMs: pollDelayMs(polls) }]];
      }
      return [{ step: 'form', attemptId: nextAttemptId, notice: { kind: 'never_arrived' } }, NOT_PAID];
    }
  }
}

type InFlight = Extract<PaymentState, { attemptId: string; amount: number }>;

function stillProcessing(state: InFlight): Next {
  const isKnown = state.step === 'checking' && state.known === 'processing';
  const leftUrl = state.step === 'checking' ? state.leftUrl : undefined;
  return check(state, 'processing', isKnown ? state.polls + 1 : 0, false, leftUrl);
}

function pollAgain(attemptId: string): PaymentEffect {
  return { do: 'poll', attemptId, afterMs: MAX_POLL_MS };
}

function check(
  { attemptId, amount }: InFlight,
  known: 'dropped' | 'processing',
  polls: number,
  offline: boolean,
  leftUrl?: string,
): readonly [Extract<PaymentState, { step: 'checking' }>, readonly PaymentEffect[]] {
  return [
    { step: 'checking', attemptId, amount, known, polls, offline, leftUrl },
    [{ do: 'poll', attemptId, afterMs: pollDelayMs(polls) }],
  ];
}

function refuse(state: PaymentState, code: Refusal): Next {
  if (state.step !== 'sending') return [state, []];

  const { attemptId } = state;
  switch (code) {
    case 'too_many_attempts':
      return [{ step: 'stopped', why: code }, NOT_PAID];
    case 'conflict':
      return [{ step: 'form', attemptId }, [...NOT_PAID, { do: 'reload' }]];
    case 'payments_unavailable':
    case 'invalid':
    case 'not_found':
    case 'rate_limited':
    case 'expired':
    case 'canceled':
    case 'unauthorized':
      // Refused before it became an attempt, so the id is still unused.
      return [{ step: 'form', attemptId, notice: { kind: 'failed', code } }, NOT_PAID];
  }
}
