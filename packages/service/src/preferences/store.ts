import type { Transaction } from 'kysely';
import { withReminders, type Notifications, type Preferences } from './rules.js';
import { every, first } from '../platform/databases/rows.js';
import type { Tables } from '../platform/databases/tables.js';

export function notifications(tx: Transaction<Tables>): Notifications {
  const all = () => tx.selectFrom('notification_preferences').selectAll();
  return {
    ofCustomer: (customerId) => first(all().where('customer_id', '=', customerId).execute(), preferencesOf),
    put: async (businessUnit, customerId, preferences) => {
      const text = JSON.stringify(preferences);
      await tx
        .insertInto('notification_preferences')
        .values({ customer_id: customerId, business_unit: businessUnit, preferences: text })
        .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ preferences: text }))
        .execute();
    },
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('customer_id').execute(), (found) => ({
        customerId: found.customer_id,
        preferences: preferencesOf(found),
      })),
  };
}

function preferencesOf(found: { preferences: string }): Preferences {
  const preferences = JSON.parse(found.preferences) as Preferences;
  return { ...preferences, kinds: withReminders(preferences.kinds) };
}
