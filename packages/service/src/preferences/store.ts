import type { Selectable, Transaction } from 'kysely';
import { remindersOf, type Notifications } from './rules.js';
import { every, first } from '../platform/databases/records.js';
import type { Tables } from '../platform/databases/tables.js';
import type { ChannelChoice, Preferences } from '../shared/page.js';

export function notifications(tx: Transaction<Tables>): Notifications {
  const all = () => tx.selectFrom('notification_preferences').selectAll();
  return {
    ofCustomer: (customerId) => first(all().where('customer_id', '=', customerId).execute(), preferencesOf),
    put: async (businessUnit, customerId, preferences) => {
      const written = {
        preferences: JSON.stringify(preferences),
        reminders: JSON.stringify(preferences.kinds['autopay-reminder']),
      };
      await tx
        .insertInto('notification_preferences')
        .values({ customer_id: customerId, business_unit: businessUnit, ...written })
        .onConflict((conflict) => conflict.column('customer_id').doUpdateSet(written))
        .execute();
    },
    list: (businessUnit) =>
      every(all().where('business_unit', '=', businessUnit).orderBy('customer_id').execute(), (found) => ({
        customerId: found.customer_id,
        preferences: preferencesOf(found),
      })),
  };
}

/** Release 0.3 writes `preferences` without `autopay-reminder`, and keeps `reminders`. */
function preferencesOf(found: Selectable<Tables['notification_preferences']>): Preferences {
  const preferences = JSON.parse(found.preferences) as Preferences;
  const kinds: Omit<Preferences['kinds'], 'autopay-reminder'> = preferences.kinds;
  if ('autopay-reminder' in kinds) return preferences;

  const before = JSON.parse(found.reminders ?? 'null') as ChannelChoice | null;
  return { ...preferences, kinds: { ...kinds, 'autopay-reminder': remindersOf(kinds.autopay, before) } };
}
