import { sql, type Transaction } from 'kysely';
import type { Ledger, LedgerEntry } from './rules.js';
import { prepared, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf } from '../platform/databases/records.js';
import { every } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const insert = preparedInsert('ledger');
const ofPayment = prepared((tx, paymentId: string) =>
  tx.selectFrom('ledger').selectAll().where('payment_id', '=', paymentId).orderBy('line'),
);

const { read, row } = recordsOf<'ledger', LedgerEntry>();

export function ledger(tx: Transaction<Tables>): Ledger {
  const all = () => tx.selectFrom('ledger').selectAll();
  return {
    insert: (entries) => Promise.all(entries.map((entry) => insert(tx, row(entry)))),
    ofPayment: (paymentId) => every(ofPayment(tx, paymentId), read),
    page: ({ businessUnit, from, to, after, limit }) => {
      // One bound, because SQLite would use only the day and read the earlier pages of that day again.
      const start = after
        ? sql<boolean>`(date, id, line) > (${after.date}, ${after.id}, ${after.line})`
        : sql<boolean>`date >= ${from}`;
      const page = all().where('business_unit', '=', businessUnit).where(start).where('date', '<', to);
      const ordered = page.orderBy('date').orderBy('id').orderBy('line').limit(limit);
      return every(ordered.execute(), read);
    },
  };
}
