import type { Selectable, Transaction } from 'kysely';
import { defined } from '../core/defined.js';
import type { Authorization, Authorizations } from './rules/authorization.js';
import type { Device } from '../processor/rules/port.js';
import { preparedFind, preparedInsert } from '../platform/databases/prepared.js';
import { recordsOf } from '../platform/databases/records.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

type Stored = Omit<Authorization, 'device'> & Device;

const records = recordsOf<'authorizations', Stored>({
  columns: ['id', 'business_unit', 'customer_id', 'text', 'agreed_at', 'revoked_at', 'ip', 'user_agent'],
});

const get = preparedFind('authorizations', 'id');

const insert = preparedInsert('authorizations', { of: records });

export function authorizations(tx: Transaction<Tables>): Authorizations {
  const all = () => tx.selectFrom('authorizations').selectAll();
  return {
    get: (id) => first(get(tx, id), authorization),
    insert: ({ device, ...authorization }) => insert(tx, { ...authorization, ...device }),
    revoke: (id, now) =>
      tx
        .updateTable('authorizations')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute(),
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('id').execute(), authorization),
  };
}

function authorization(found: Selectable<Tables['authorizations']>): Authorization {
  const { ip, userAgent, ...rest } = records.read(found);
  const device = defined({ ip, userAgent });
  return { ...rest, ...(Object.keys(device).length === 0 ? {} : { device }) };
}
