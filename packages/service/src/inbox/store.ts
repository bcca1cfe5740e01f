import type { Transaction } from 'kysely';
import { recordsOf, every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import type { Inbox, StoredEvent } from './rules.js';

const { read, row } = recordsOf<'processor_events', StoredEvent>();

export function inbox(tx: Transaction<Tables>): Inbox {
  const all = () => tx.selectFrom('processor_events').selectAll();
  return {
    get: (id) => first(all().where('id', '=', id).execute(), read),
    insert: (event) =>
      tx
        .insertInto('processor_events')
        .values(row(event))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    postpone: (id, dueAt) =>
      tx.updateTable('processor_events').set({ due_at: dueAt }).where('id', '=', id).execute(),
    remove: (id) => tx.deleteFrom('processor_events').where('id', '=', id).execute(),
    due: (now, limit) =>
      every(all().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute(), read),
  };
}
