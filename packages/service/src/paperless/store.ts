import type { Selectable, Transaction } from 'kysely';
import type { Paperless, PaperlessEnrollment } from './rules.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

export function paperless(tx: Transaction<Tables>): Paperless {
  const all = () => tx.selectFrom('paperless').selectAll();
  return {
    find: (accountId, customerId) =>
      first(
        all().where('account_id', '=', accountId).where('customer_id', '=', customerId).execute(),
        enrollment,
      ),
    insert: async ({ accountId, customerId, businessUnit, enrolledAt }) => {
      await tx
        .insertInto('paperless')
        .values({
          account_id: accountId,
          customer_id: customerId,
          business_unit: businessUnit,
          enrolled_at: enrolledAt,
        })
        .execute();
    },
    remove: async (accountId, customerId) => {
      await tx
        .deleteFrom('paperless')
        .where('account_id', '=', accountId)
        .where('customer_id', '=', customerId)
        .execute();
    },
    list: (businessUnit) =>
      every(
        all()
          .where('business_unit', '=', businessUnit)
          .orderBy('enrolled_at')
          .orderBy('account_id')
          .execute(),
        enrollment,
      ),
  };
}

function enrollment(found: Selectable<Tables['paperless']>): PaperlessEnrollment {
  return {
    businessUnit: found.business_unit,
    accountId: found.account_id,
    customerId: found.customer_id,
    enrolledAt: found.enrolled_at,
  };
}
