import { sql, type Insertable, type Selectable, type Transaction } from 'kysely';
import type { Attempt, Attempts, AttemptSource, AttemptStatus, ChosenCharge } from '../domain/attempt.js';
import { asked, askedColumns, readAsked } from './asked.js';
import { every, first } from './rows.js';
import type { Tables } from './tables.js';

export function attempts(tx: Transaction<Tables>): Attempts {
  const all = () => tx.selectFrom('attempts').selectAll();
  return {
    ...asked(tx, { table: 'attempts', row, read: attempt }),
    find: (sessionId, requestId) =>
      first(all().where('session_id', '=', sessionId).where('request_id', '=', requestId).execute(), attempt),
    ofSession: (sessionId) =>
      every(all().where('session_id', '=', sessionId).orderBy('created_at').orderBy('id').execute(), attempt),
    insert: async (attempt) => {
      const inserted = await tx
        .insertInto('attempts')
        .values(row(attempt))
        .onConflict((conflict) => conflict.columns(['session_id', 'request_id']).doNothing())
        .returning('id')
        .execute();
      return inserted.length === 1;
    },
    page: async ({ businessUnit, from, to, statuses, clientReference, after, limit }) => {
      let rows = all().where('business_unit', '=', businessUnit);
      if (clientReference !== undefined) rows = rows.where('client_reference', '=', clientReference);
      if (from !== undefined) rows = rows.where('created_at', '>=', from);
      if (to !== undefined) rows = rows.where('created_at', '<', to);
      if (after !== undefined)
        rows = rows.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
      rows = rows.orderBy('created_at').orderBy('id').limit(limit);
      if (statuses === undefined) return every(rows.execute(), attempt);
      // One by one: of several at once either engine sorts all that there are.
      const found: Attempt[] = [];
      for (const status of statuses)
        found.push(...(await every(rows.where('status', '=', status).execute(), attempt)));
      return found.toSorted(inOrder).slice(0, limit);
    },
  };
}

/** As the engines sort: ids are ASCII. */
function inOrder(a: Attempt, b: Attempt): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}

function row(attempt: Attempt): Insertable<Tables['attempts']> {
  return {
    ...askedColumns(attempt),
    session_id: attempt.sessionId,
    request_id: attempt.requestId,
    scheduled_id: attempt.scheduledId ?? null,
    source: JSON.stringify(attempt.source),
    charges: JSON.stringify(attempt.charges),
    fields: JSON.stringify(attempt.fields),
    answered_at: attempt.answeredAt ?? null,
    refunded: attempt.refunded,
    descriptor: attempt.descriptor ?? null,
    authorization_id: attempt.authorizationId ?? null,
    account_id: attempt.accountId ?? null,
    client_reference: attempt.clientReference ?? null,
  };
}

function attempt(found: Selectable<Tables['attempts']>): Attempt {
  return {
    ...readAsked(found),
    sessionId: found.session_id,
    requestId: found.request_id,
    ...(found.scheduled_id === null ? {} : { scheduledId: found.scheduled_id }),
    status: found.status as AttemptStatus,
    source: JSON.parse(found.source) as AttemptSource,
    charges: JSON.parse(found.charges) as ChosenCharge[],
    fields: JSON.parse(found.fields) as Record<string, string>,
    ...(found.answered_at === null ? {} : { answeredAt: found.answered_at }),
    refunded: found.refunded,
    ...(found.descriptor === null ? {} : { descriptor: found.descriptor }),
    ...(found.authorization_id === null ? {} : { authorizationId: found.authorization_id }),
    ...(found.account_id === null ? {} : { accountId: found.account_id }),
    ...(found.client_reference === null ? {} : { clientReference: found.client_reference }),
  };
}
