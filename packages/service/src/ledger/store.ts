import { sql, type Transaction } from 'kysely';
import type { Ledger, LedgerEntry } from './rules.js';
import { prepared, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf, every } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const insert = preparedInsert('ledger');

const COLUMNS = [
  'ledger.payment_id',
  'ledger.id',
  'ledger.line',
  'ledger.business_unit',
  'ledger.date',
  'ledger.type',
  'ledger.session_id',
  'ledger.account_number',
  'ledger.sub_account_number',
  'ledger.description',
  'ledger.method',
] as const;

/** If an event reports the outcome first, the response may bring the reference after the booking. */
const REFERENCE = sql<string | null>`coalesce(ledger.reference, attempts.reference, refunds.reference)`;

const entries = (tx: Transaction<Tables>) =>
  tx
    .selectFrom('ledger')
    .leftJoin('attempts', 'attempts.id', 'ledger.id')
    .leftJoin('refunds', 'refunds.id', 'ledger.id')
    .select([...COLUMNS, 'ledger.amount', REFERENCE.as('reference')]);

const ofPayment = prepared((tx, paymentId: string) =>
  entries(tx).where('ledger.payment_id', '=', paymentId).orderBy('ledger.line'),
);

const ofMovement = prepared((tx, paymentId: string, id: string) =>
  entries(tx).where('ledger.payment_id', '=', paymentId).where('ledger.id', '=', id).orderBy('ledger.line'),
);

const sharesLeft = prepared((tx, paymentId: string) =>
  tx
    .selectFrom((from) =>
      from
        .selectFrom('ledger')
        .select(['line as of_line', sql<number>`cast(sum(amount) as bigint)`.as('left_over')])
        .where('payment_id', '=', paymentId)
        .where('type', '<>', sql.lit('return'))
        .groupBy('line')
        .as('lines'),
    )
    .innerJoin('ledger', 'line', 'of_line')
    .select([...COLUMNS, 'left_over as amount', 'reference'])
    .where('payment_id', '=', paymentId)
    .where('type', '=', sql.lit('payment'))
    .orderBy('line'),
);

const { read, row } = recordsOf<'ledger', LedgerEntry>();

export function ledger(tx: Transaction<Tables>): Ledger {
  return {
    insert: (entries) => Promise.all(entries.map((entry) => insert(tx, row(entry)))),
    ofPayment: (paymentId) => every(ofPayment(tx, paymentId), read),
    ofMovement: (paymentId, id) => every(ofMovement(tx, paymentId, id), read),
    sharesLeft: (paymentId) => every(sharesLeft(tx, paymentId), read),
    page: ({ businessUnit, from, to, after, limit }) => {
      // One bound, because SQLite would use only the day and read the earlier pages of that day again.
      const start = after
        ? sql<boolean>`(date, ledger.id, line) > (${after.date}, ${after.id}, ${after.line})`
        : sql<boolean>`date >= ${from}`;
      const page = entries(tx).where('ledger.business_unit', '=', businessUnit).where(start);
      const ordered = page.where('date', '<', to).orderBy('date').orderBy('ledger.id').orderBy('line');
      return every(ordered.limit(limit).execute(), read);
    },
  };
}
