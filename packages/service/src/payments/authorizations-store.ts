import type { Selectable, Transaction } from 'kysely';
import { defined } from '../core/defined.js';
import type { Authorization, Authorizations } from './rules/authorization.js';
import { prepared, preparedInsert } from '../platform/databases/prepared.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

const get = prepared((tx, id: string) => tx.selectFrom('authorizations').selectAll().where('id', '=', id), {
  one: true,
});

const insert = preparedInsert('authorizations');

export function authorizations(tx: Transaction<Tables>): Authorizations {
  const all = () => tx.selectFrom('authorizations').selectAll();
  return {
    get: (id) => first(get(tx, id), authorization),
    insert: async ({ id, businessUnit, customerId = null, text, agreedAt, revokedAt = null, device }) => {
      await insert(tx, {
        id,
        business_unit: businessUnit,
        customer_id: customerId,
        text,
        agreed_at: agreedAt,
        revoked_at: revokedAt,
        ip: device?.ip ?? null,
        user_agent: device?.userAgent ?? null,
      });
    },
    revoke: async (id, now) => {
      await tx
        .updateTable('authorizations')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('id').execute(), authorization),
  };
}

function authorization(found: Selectable<Tables['authorizations']>): Authorization {
  const device = defined({ ip: found.ip ?? undefined, userAgent: found.user_agent ?? undefined });
  return {
    id: found.id,
    businessUnit: found.business_unit,
    ...(found.customer_id === null ? {} : { customerId: found.customer_id }),
    text: found.text,
    agreedAt: found.agreed_at,
    ...(found.revoked_at === null ? {} : { revokedAt: found.revoked_at }),
    ...(Object.keys(device).length === 0 ? {} : { device }),
  };
}
