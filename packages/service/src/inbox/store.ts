import type { Selectable, Transaction } from 'kysely';
import { given } from '../core/given.js';
import type { EventOutcome } from '../processor/rules/port.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';
import type { Inbox, WaitingEvent } from './rules.js';

export function inbox(tx: Transaction<Tables>): Inbox {
  const all = () => tx.selectFrom('processor_events').selectAll();
  return {
    get: (id) => first(all().where('id', '=', id).execute(), event),
    insert: async ({ id, attemptId, refundId, reference, outcome, reason, receivedAt, dueAt }) => {
      await tx
        .insertInto('processor_events')
        .values({
          id,
          attempt_id: attemptId ?? null,
          refund_id: refundId ?? null,
          reference: reference ?? null,
          outcome,
          reason: reason ?? null,
          received_at: receivedAt,
          due_at: dueAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    postpone: async (id, dueAt) => {
      await tx.updateTable('processor_events').set({ due_at: dueAt }).where('id', '=', id).execute();
    },
    remove: async (id) => {
      await tx.deleteFrom('processor_events').where('id', '=', id).execute();
    },
    due: (now, limit) =>
      every(all().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute(), event),
  };
}

function event(found: Selectable<Tables['processor_events']>): WaitingEvent {
  return {
    id: found.id,
    outcome: found.outcome as EventOutcome,
    receivedAt: found.received_at,
    dueAt: found.due_at,
    ...given({
      attemptId: found.attempt_id ?? undefined,
      refundId: found.refund_id ?? undefined,
      reference: found.reference ?? undefined,
      reason: found.reason ?? undefined,
    }),
  };
}
