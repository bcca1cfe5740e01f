import type { Transaction } from 'kysely';
import { inFlight } from '../core/store.js';
import type { Connection } from '../platform/databases/connection.js';
import { retrying } from '../platform/databases/retry.js';
import { preparedFind, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

/** Stores the test processor's charges, so that `lookup` works after a restart. */
export interface TestLedger {
  /** Stores the first charge of an attempt and returns it. A second charge changes nothing. */
  charge(entry: TestCharge): Promise<TestCharge>;
  find(attemptId: string): Promise<TestCharge | null>;
  /** Stores the first answer to the challenge of an attempt. A second answer changes nothing. */
  answerChallenge(attemptId: string, answer: ChallengeAnswer): Promise<void>;
  /** Stores the first refund of an id and returns it. */
  refund(entry: TestRefund): Promise<TestRefund>;
}

export interface TestRefund {
  refundId: string;
  attemptId: string;
  amount: number;
  refundedAt: number;
}

export interface TestCharge {
  attemptId: string;
  token: string;
  amount: number;
  chargedAt: number;
  /** Absent until the challenge is answered, if there is one. */
  challenge?: ChallengeAnswer;
}

export type ChallengeAnswer = 'approved' | 'declined' | 'canceled';

const charges = recordsOf<'test_charges', TestCharge>();
const refunds = recordsOf<'test_refunds', TestRefund>();

// A conflict changes nothing and returns the existing row.
const insertCharge = preparedInsert('test_charges', {
  more: (query) =>
    query
      .onConflict((conflict) =>
        conflict.column('attempt_id').doUpdateSet((row) => ({ token: row.ref('test_charges.token') })),
      )
      .returningAll(),
});

const findCharge = preparedFind('test_charges', 'attempt_id');
const findRefund = preparedFind('test_refunds', 'refund_id');
const insertRefund = preparedInsert('test_refunds');

/** Uses the service's database but, like a real processor, not its transactions. */
export function testLedger(connection: Connection): TestLedger {
  const run = <T>(mode: 'read' | 'write', work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    retrying(() => connection.transaction(work, { mode }), { repeatable: true });
  return {
    charge: async (input) => {
      const stored = await run('write', async (tx) =>
        inFlight(first(insertCharge(tx, charges.row(input)), charges.read)),
      );
      return (await stored.result) ?? input;
    },
    find: (attemptId) => run('read', (tx) => first(findCharge(tx, attemptId), charges.read)),
    answerChallenge: async (attemptId, answer) => {
      await run('write', (tx) =>
        tx
          .updateTable('test_charges')
          .set({ challenge: answer })
          .where('attempt_id', '=', attemptId)
          .where('challenge', 'is', null)
          .execute(),
      );
    },
    refund: (input) =>
      run('write', async (tx) => {
        const stored = await first(findRefund(tx, input.refundId), refunds.read);
        if (stored) return stored;

        await insertRefund(tx, refunds.row(input));
        return input;
      }),
  };
}
