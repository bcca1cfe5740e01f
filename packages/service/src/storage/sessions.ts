import { sql, type Insertable, type Selectable, type Transaction } from 'kysely';
import type { Session } from '../domain/session.js';
import type { Sessions } from '../domain/store.js';
import type { Tables } from './tables.js';

// Literal, as in the index on these two: a bound value would keep SQLite from using it.
const WAITING = sql<boolean>`status in ('RequiresPaymentSource', 'Open')`;

export function sessions(tx: Transaction<Tables>): Sessions {
  const all = () => tx.selectFrom('sessions').selectAll();
  return {
    // What is no id of ours is not asked for: an engine may not even take it.
    get: async (id) =>
      /^[\w-]+$/.test(id) ? read(await all().where('id', '=', id).executeTakeFirst()) : null,
    findByReference: async (businessUnit, clientReference) =>
      read(
        await all()
          .where('business_unit', '=', businessUnit)
          .where('client_reference', '=', clientReference)
          .executeTakeFirst(),
      ),
    insert: async (session) => {
      await tx.insertInto('sessions').values(row(session)).execute();
    },
    update: async (session) => {
      await tx
        .updateTable('sessions')
        .set({
          status: session.status,
          declines: session.declines,
          customer_id: session.customerId ?? null,
        })
        .where('id', '=', session.id)
        .execute();
    },
    due: async (now, limit) =>
      (
        await all().where(WAITING).where('expires_at', '<=', now).orderBy('expires_at').limit(limit).execute()
      ).map(session),
    list: async (businessUnit) =>
      (await all().where('business_unit', '=', businessUnit).orderBy('id').execute()).map(session),
    secretKeyIds: async (since) => {
      // One step in the index per key, however many sessions there are.
      const ids: string[] = [];
      for (;;) {
        const next = await tx
          .selectFrom('sessions')
          .select('secret_key_id')
          .where('secret_key_id', '>', ids.at(-1) ?? '')
          .orderBy('secret_key_id')
          .limit(1)
          .executeTakeFirst();
        if (next === undefined) break;
        ids.push(next.secret_key_id);
      }
      const used: string[] = [];
      for (const id of ids) {
        const newest = await tx
          .selectFrom('sessions')
          .select('created_at')
          .where('secret_key_id', '=', id)
          .orderBy('created_at', 'desc')
          .limit(1)
          .executeTakeFirst();
        if (newest !== undefined && newest.created_at > since) used.push(id);
      }
      return used;
    },
  };
}

function row(session: Session): Insertable<Tables['sessions']> {
  return {
    id: session.id,
    business_unit: session.businessUnit,
    flow: session.flow,
    status: session.status,
    client_reference: session.flow === 'payment' ? (session.request.ClientReference ?? null) : null,
    secret_key_id: session.secretKeyId,
    account_id: 'accountId' in session ? session.accountId : null,
    customer_id: session.customerId ?? null,
    declines: session.declines,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    request: JSON.stringify(session.request),
  };
}

const read = (found: Selectable<Tables['sessions']> | undefined): Session | null =>
  found ? session(found) : null;

function session(found: Selectable<Tables['sessions']>): Session {
  return {
    id: found.id,
    businessUnit: found.business_unit,
    flow: found.flow,
    status: found.status,
    secretKeyId: found.secret_key_id,
    ...(found.account_id === null ? {} : { accountId: found.account_id }),
    ...(found.customer_id === null ? {} : { customerId: found.customer_id }),
    declines: found.declines,
    createdAt: found.created_at,
    expiresAt: found.expires_at,
    request: JSON.parse(found.request) as unknown,
  } as Session;
}
