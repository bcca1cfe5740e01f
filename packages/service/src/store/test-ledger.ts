import type { Transaction } from 'kysely';
import { inFlight } from '../core/store.js';
import type { Connection } from '../platform/databases/connection.js';
import { retrying } from '../platform/databases/retry.js';
import { preparedFind, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import type { TestCharge, TestLedger, TestRefund } from '../processor/rules/test-ledger.js';

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
