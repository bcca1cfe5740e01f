import type { Transaction } from 'kysely';
import type { Paperless, PaperlessEnrollment } from './rules.js';
import { recordsOf, every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';

const { read, row } = recordsOf<'paperless', PaperlessEnrollment>();

export function paperless(tx: Transaction<Tables>): Paperless {
  const all = () => tx.selectFrom('paperless').selectAll();
  return {
    find: (accountId, customerId) =>
      first(all().where('account_id', '=', accountId).where('customer_id', '=', customerId).execute(), read),
    insert: (enrollment) => tx.insertInto('paperless').values(row(enrollment)).execute(),
    remove: (accountId, customerId) =>
      tx
        .deleteFrom('paperless')
        .where('account_id', '=', accountId)
        .where('customer_id', '=', customerId)
        .execute(),
    list: (businessUnit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .orderBy('enrolled_at')
          .orderBy('account_id')
          .execute(),
        read,
      ),
  };
}
