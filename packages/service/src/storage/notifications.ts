import type { Transaction } from 'kysely';
import type { Notifications, Preferences } from '../domain/notifications.js';
import type { Tables } from './tables.js';

export function notifications(tx: Transaction<Tables>): Notifications {
  const all = () => tx.selectFrom('notification_preferences').selectAll();
  return {
    ofCustomer: async (customerId) => {
      const found = await all().where('customer_id', '=', customerId).executeTakeFirst();
      return found ? (JSON.parse(found.preferences) as Preferences) : null;
    },
    put: async (businessUnit, customerId, preferences) => {
      const text = JSON.stringify(preferences);
      await tx
        .insertInto('notification_preferences')
        .values({ customer_id: customerId, business_unit: businessUnit, preferences: text })
        .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ preferences: text }))
        .execute();
    },
    list: async (businessUnit) =>
      (await all().where('business_unit', '=', businessUnit).orderBy('customer_id').execute()).map(
        (found) => ({
          customerId: found.customer_id,
          preferences: JSON.parse(found.preferences) as Preferences,
        }),
      ),
  };
}
