import { describe, expect, it } from 'vitest';
import type { Attempt, Receipt } from '@shared/page.js';
import {
  pollDelayMs,
  transition,
  type Order,
  type PaymentEvent,
  type PaymentState,
} from './payment-state.js';

const form: PaymentState = { step: 'form', attemptId: 'a1' };
const order: Order = {
  source: { savedMethodId: 'm1' },
  saveMethod: false,
  charges: [{ index: 0, amount: 1234 }],
  fields: {},
};
const receipt: Receipt = {
  attemptId: 'a1',
  number: '61783 74105',
  holder: 'Dana Reyes',
  status: 'succeeded',
  amount: 1234,
  method: 'Credit Card',
  last4: '4242',
  paidAt: '2026-11-21T10:00:00Z',
  charges: [],
};
const outcome = (attempt: Attempt): PaymentEvent => ({ type: 'outcome', attempt, nextAttemptId: 'a2' });

/** Returns the state after a series of events, and all effects. */
function play(...events: PaymentEvent[]) {
  let state: PaymentState = form;
  const effects = [];
  for (const event of events) {
    const [next, more] = transition(state, event);
    state = next;
    effects.push(...more);
  }
  return { state, effects, pays: effects.filter((effect) => effect.do === 'pay') };
}

describe('a payment', () => {
  it('stores its id and is reported as in flight before it is sent', () => {
    expect(play({ type: 'submit', order }).effects.map((effect) => effect.do)).toEqual([
      'remember',
      'report',
      'pay',
    ]);
  });

  it('is sent once, however often Pay is pressed', () => {
    const submit: PaymentEvent = { type: 'submit', order };
    expect(play(submit, submit, { type: 'dropped' }, submit).pays).toHaveLength(1);
  });

  it('ends with the receipt and is announced once', () => {
    const done = outcome({ status: 'succeeded', attemptId: 'a1', receipt });
    const { state, effects } = play({ type: 'submit', order }, done, done);
    expect(state).toMatchObject({ step: 'paid', receipt });
    expect(effects.filter((effect) => effect.do === 'completed')).toHaveLength(1);
    expect(effects.at(-1)).toEqual({ do: 'report', state: 'done' });
  });

  it('returns to the form with a new attempt id after a decline', () => {
    const { state } = play(
      { type: 'submit', order },
      outcome({ status: 'declined', attemptId: 'a1', attemptsLeft: 9 }),
    );
    expect(state).toEqual({
      step: 'form',
      attemptId: 'a2',
      notice: { kind: 'declined', attemptsLeft: 9 },
    });
  });

  it('R-44 ends with the tenth decline', () => {
    const { state } = play(
      { type: 'submit', order },
      outcome({ status: 'declined', attemptId: 'a1', attemptsLeft: 0 }),
    );
    expect(state).toEqual({ step: 'stopped', why: 'too_many_attempts' });
  });

  it('is polled for after a dropped connection and never resent', () => {
    const { state, effects, pays } = play(
      { type: 'submit', order },
      { type: 'dropped' },
      { type: 'no_response' },
      { type: 'no_response' },
    );
    expect(state).toMatchObject({
      step: 'checking',
      attemptId: 'a1',
      amount: 1234,
      known: 'dropped',
      offline: true,
    });
    expect(pays).toHaveLength(1);
    expect(effects.filter((effect) => effect.do === 'poll')).toHaveLength(3);
  });

  it('stays in flight until it has an outcome', () => {
    const { effects } = play(
      { type: 'submit', order },
      { type: 'dropped' },
      outcome({ status: 'processing', attemptId: 'a1' }),
    );
    expect(effects.filter((effect) => effect.do === 'report')).toEqual([
      { do: 'report', state: 'processing' },
    ]);
  });

  const never = outcome({ status: 'never_seen', attemptId: 'a1' });
  const givenUp = { ...never, givenUp: true } as PaymentEvent;

  it('R-60 is abandoned before the form returns, because an unseen attempt may still arrive', () => {
    const once = play({ type: 'submit', order }, { type: 'dropped' }, never);
    expect(once.state).toMatchObject({ step: 'checking' });
    expect(once.effects.at(-1)).toMatchObject({ do: 'give_up', attemptId: 'a1' });
    expect(once.effects.filter((effect) => effect.do === 'report')).toHaveLength(1);
    const { state, effects } = play({ type: 'submit', order }, { type: 'dropped' }, never, givenUp);
    const notice = { kind: 'never_arrived' };
    expect(state).toEqual({ step: 'form', attemptId: 'a2', notice });
    expect(effects.at(-1)).toEqual({ do: 'report', state: 'form' });
  });

  it('R-60 does not blame the connection if the service had the attempt and never sent it', () => {
    const processing = outcome({ status: 'processing', attemptId: 'a1' });
    const { state } = play({ type: 'submit', order }, processing, never);
    expect(state).toMatchObject({ step: 'checking', known: 'processing' });
    const after = play({ type: 'submit', order }, processing, never, givenUp);
    expect(after.state).toMatchObject({ step: 'form', notice: { kind: 'never_arrived' } });
  });

  it('R-60 stays in flight if the response to abandoning it is lost', () => {
    const events: PaymentEvent[] = [{ type: 'dropped' }, never, { type: 'no_response' }];
    const { state, effects } = play({ type: 'submit', order }, ...events);
    expect(state).toMatchObject({ step: 'checking', offline: true });
    expect(effects.at(-1)).toMatchObject({ do: 'poll', attemptId: 'a1' });
  });

  it('is a new attempt when retried after it was abandoned', () => {
    const submit: PaymentEvent = { type: 'submit', order };
    const { pays } = play(submit, { type: 'dropped' }, never, givenUp, submit);
    expect(pays.map((effect) => effect.do === 'pay' && effect.request.attemptId)).toEqual(['a1', 'a2']);
  });

  it('R-60 ends only if the payment itself is refused', () => {
    const { state } = play(
      { type: 'submit', order },
      { type: 'dropped' },
      { type: 'refused', code: 'not_found' },
    );
    expect(state).toMatchObject({ step: 'checking' });
  });

  it('ignores late responses and responses about other attempts', () => {
    const foreign = outcome({ status: 'succeeded', attemptId: 'other', receipt });
    expect(play({ type: 'submit', order }, foreign).state).toMatchObject({ step: 'sending' });
    expect(play(outcome({ status: 'declined', attemptId: 'a1', attemptsLeft: 3 })).state).toEqual(form);
  });

  it('reuses its attempt id after a refusal', () => {
    const { state } = play({ type: 'submit', order }, { type: 'refused', code: 'invalid' });
    expect(state).toEqual({
      step: 'form',
      attemptId: 'a1',
      notice: { kind: 'failed', code: 'invalid' },
    });
  });

  it('reads the session again if it was paid elsewhere', () => {
    const { effects } = play({ type: 'submit', order }, { type: 'refused', code: 'conflict' });
    expect(effects.at(-1)).toEqual({ do: 'reload' });
  });

  describe('R-101 a challenge', () => {
    const url = 'https://challenges.example/1';
    const required = (at = url): PaymentEvent =>
      outcome({ status: 'requires_action', attemptId: 'a1', action: { url: at } });
    const submit: PaymentEvent = { type: 'submit', order };
    const left: PaymentEvent = { type: 'challenge_left', givesUp: false };

    it('is shown while the page keeps polling, also after a lost response', () => {
      for (const before of [[submit], [submit, { type: 'dropped' } as const]]) {
        const { state, effects } = play(...before, required());
        expect(state).toMatchObject({ step: 'challenge', url, amount: 1234 });
        expect(effects.at(-1)).toEqual({ do: 'poll', attemptId: 'a1', afterMs: 5_000 });
      }
    });

    it('survives an unanswered status request', () => {
      const { state, effects } = play(submit, required(), { type: 'no_response' });
      expect(state).toMatchObject({ step: 'challenge', url });
      expect(effects.at(-1)).toMatchObject({ do: 'poll' });
    });

    it('ends with the outcome, and is not shown again', () => {
      const { state, effects } = play(submit, required(), left, required(), required());
      expect(effects).toContainEqual({ do: 'leave_challenge', attemptId: 'a1', givesUp: false });
      expect(state).toMatchObject({ step: 'checking', known: 'processing', polls: 2 });
    });

    it.each([
      ['comes back if giving it up is lost', 'challenge', true, []],
      ['does not come back if a later response is lost', 'checking', true, [required()]],
      ['does not come back after it was finished', 'checking', false, []],
    ] as const)('%s', (_, step, givesUp, between) => {
      const leave: PaymentEvent = { type: 'challenge_left', givesUp };
      const { state } = play(submit, required(), leave, ...between, { type: 'no_response' }, required());
      expect(state).toMatchObject({ step });
    });

    it('can be followed by another one', () => {
      const { state } = play(submit, required(), left, required('https://challenges.example/2'));
      expect(state).toMatchObject({ step: 'challenge', url: 'https://challenges.example/2' });
    });

    it('can be given up once', () => {
      const giveUp: PaymentEvent = { type: 'challenge_left', givesUp: true };
      const { effects } = play(submit, required(), giveUp, giveUp);
      expect(effects.filter((effect) => effect.do === 'leave_challenge')).toEqual([
        { do: 'leave_challenge', attemptId: 'a1', givesUp: true },
      ]);
    });

    it('stays in flight until it ends with the receipt or the form', () => {
      const paid = play(submit, required(), outcome({ status: 'succeeded', attemptId: 'a1', receipt }));
      expect(paid.state).toMatchObject({ step: 'paid' });
      const declined = play(
        submit,
        required(),
        outcome({ status: 'declined', attemptId: 'a1', attemptsLeft: 9 }),
      );
      expect(declined.state).toMatchObject({ step: 'form', attemptId: 'a2' });
      const reports = play(submit, required(), left, required()).effects.filter(
        ({ do: what }) => what === 'report',
      );
      expect(reports).toEqual([{ do: 'report', state: 'processing' }]);
    });
  });

  it('polls often at first, then every five seconds', () => {
    expect(pollDelayMs(0)).toBe(800);
    expect(pollDelayMs(50)).toBe(5_000);
  });
});
