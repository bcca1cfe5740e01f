import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Queued, QueueRows } from '../../core/queue-rows.js';
import type { QueueColumns } from './tables.js';
import { prepared } from './prepared.js';
import { deleted, every, first, inBatches } from './records.js';
import type { Tables } from './tables.js';
import { upTo, firstOfUnits } from './waiting-rows.js';

type QueueTable = 'outbox' | 'messages';
type Queues = Transaction<Record<QueueTable, QueueColumns>>;

// Literal, because a bound value would keep SQLite from using the partial indexes.
export const PENDING: RawBuilder<boolean> = sql<boolean>`status = 'pending'`;
const SETTLED = sql<boolean>`status <> 'pending'`;

const queues = (tx: Transaction<Tables>): Queues => tx;

interface Mapping<T extends Queued> {
  readonly read: (found: never) => T;
  /** Rows to lease, as a literal condition. Default: pending rows. */
  readonly pending?: RawBuilder<boolean>;
}

/** Queries shared by webhooks and messages to payers. */
export function queueRows<T extends Queued>(
  table: QueueTable,
  { read, pending = PENDING }: Mapping<T>,
): (tx: Transaction<Tables>) => QueueRows<T> {
  const row = read as (found: object) => T;
  const dueRows = (
    tx: Transaction<Tables>,
    businessUnit: string,
    now: number,
    systemNow: number,
    limit: number,
  ) =>
    upTo(queues(tx).selectFrom(table).where(pending), { businessUnit, column: 'due_at', until: now })
      .where('leased_until', '<=', systemNow)
      .orderBy('id')
      .limit(limit);

  const lease = prepared(
    (tx, businessUnit: string, now: number, systemNow: number, until: number, limit: number) =>
      queues(tx)
        .updateTable(table)
        .set({ leased_until: until })
        .where('id', 'in', dueRows(tx, businessUnit, now, systemNow, limit).select('id'))
        .returningAll(),
  );

  const updateLeased = prepared(
    (
      tx,
      id: string,
      until: number,
      status: string,
      attempts: number,
      dueAt: number,
      lastError: string | null,
    ) =>
      queues(tx)
        .updateTable(table)
        .set({ status, attempts, due_at: dueAt, leased_until: 0, last_error: lastError })
        .where('id', '=', id)
        .where('leased_until', '=', until)
        // The PostgreSQL connection waits only for writes that return rows.
        .returning('id'),
  );

  const unitsDue = prepared((tx, systemNow: number) =>
    firstOfUnits<number | null>(
      tx,
      { table, column: 'due_at', waiting: pending },
      sql`leased_until <= ${systemNow}`,
    ),
  );

  return (tx) => {
    const all = () => queues(tx).selectFrom(table).selectAll();
    return {
      get: (id) => first(all().where('id', '=', id).execute(), row),
      due: (businessUnit, now, systemNow, limit) =>
        every(dueRows(tx, businessUnit, now, systemNow, limit).selectAll().execute(), row),
      unitsDue: async (now, systemNow) => {
        const units = await unitsDue(tx, systemNow);
        return units
          .filter(({ first }) => first !== null && first <= now)
          .toSorted((a, b) => Number(a.first) - Number(b.first))
          .map(({ businessUnit }) => businessUnit);
      },
      lease: async (businessUnit, { now, systemNow, until }, limit) =>
        (await every(lease(tx, businessUnit, now, systemNow, until, limit), row)).toSorted(inOrder),
      updateLeased: async ({ id, status, attempts, dueAt, lastError = null }, until) =>
        (await updateLeased(tx, id, until, status, attempts, dueAt, lastError)).length > 0,
      list: (businessUnit) =>
        every(
          all().where('business_unit', '=', businessUnit).orderBy('created_at').orderBy('id').execute(),
          row,
        ),
      latest: (limit) => every(all().orderBy('id', 'desc').limit(limit).execute(), row),
      deleteSettled: (until, limit) =>
        deleteBatch(tx, table, sql`${SETTLED} and due_at <= ${until} order by due_at`, limit),
    };
  };
}

const TEXTS = { outbox: sql.ref('body'), messages: sql.ref('facts') };

/** Deletes up to `limit` rows, or fewer if they are large. Resolves to the number. */
export async function deleteBatch(
  tx: Transaction<Tables>,
  table: QueueTable,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ id: string; bytes: number }>`
    select id, octet_length(${TEXTS[table]}) as bytes from ${sql.table(table)}
    where ${where} limit ${sql.lit(limit)}`.execute(tx);
  const [batch = []] = inBatches(rows, limit);
  if (batch.length === 0) return 0;
  const ids = batch.map(({ id }) => id);
  return deleted(queues(tx).deleteFrom(table).where('id', 'in', ids));
}

/** Longest waiting first. */
const inOrder = (one: Queued, other: Queued): number =>
  one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);
