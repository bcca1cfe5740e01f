/** `customers erase`: removes personal data. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Erased } from '../accounts/rules/person.js';
import type { Store } from '../core/store.js';
import { ServiceError } from '../core/error.js';
import { isPostgres } from '../platform/databases/connect.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  print,
  required,
  text,
  type Command,
  type Options,
  type Values,
} from './command.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS: Options = {
  'business-unit': BUSINESS_UNIT_OPTION,
  email: { type: 'string', help: "The customer's current e-mail address" },
  'dry-run': { type: 'boolean', help: 'Print what would be erased, without changing anything' },
  database: DATABASE_OPTION,
};

export const customers: Command = {
  usage: `customers erase --business-unit SLUG --email EMAIL [--dry-run]
  --database FILE | postgres://…`,
  summary: 'Erases the personal data of a customer. Payments stay.',
  actions: { erase: { options: OPTIONS, run: eraseCustomer } },
};

async function eraseCustomer(values: Values): Promise<void> {
  const unit = businessUnit(text(values['business-unit']));
  const email = required(text(values['email']), '--email');
  const isDryRun = values['dry-run'] === true;
  const database = requiredDatabase(values);

  const erased = await erase(database, unit, email, isDryRun);
  for (const [table, count] of Object.entries(erased)) print(`${table}: ${count}`);
  if (isDryRun) return print('Nothing was changed.');
  if (!isPostgres(database)) overwrite(database);
  print(
    'Erased. The processor forgets the payment methods while the service runs. Backups keep the data until they expire.',
  );
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly erased: Erased) {
    super('dry run');
  }
}

/** @throws ServiceError `customer_not_found`, or `payment_in_flight` */
function erase(database: string, unit: string, email: string, isDryRun: boolean): Promise<Erased> {
  return withStore(database, (store) => {
    let customerId: string | undefined;
    return store
      .transaction(async (tx) => {
        await refuseUnknownUnit(tx, unit);
        customerId = (await tx.customers.find(unit, email))?.id;
        const erased = await tx.erasing.erase(unit, email, Date.now());
        if (erased === null)
          throw new ServiceError(
            'customer_not_found',
            'This business unit has no customer with this e-mail address.',
          );
        if (erased === 'in_flight')
          throw new ServiceError(
            'payment_in_flight',
            'A payment of this customer is being processed: run this again when its outcome is known.',
          );
        if (isDryRun) throw new DryRun(erased);
        return erased;
      })
      .then(async (erased) => {
        if (customerId !== undefined) await eraseRest(store, { unit, customerId, email });
        return erased;
      })
      .catch((error: unknown) => {
        if (error instanceof DryRun) return error.erased;
        throw error;
      });
  });
}

/**
 * Erases sessions that were created during the first transaction, which doesn't see them on PostgreSQL. Later sessions belong
 * to a new customer. Waits for the outcome of their payments, because nobody can find the erased customer again.
 */
async function eraseRest(
  store: Store,
  { unit, customerId, email }: { unit: string; customerId: string; email: string },
): Promise<void> {
  const again = () => store.transaction((tx) => tx.erasing.eraseAgain(unit, customerId, email, Date.now()));
  while ((await again()) === 'in_flight') await setTimeout(1_000);
}

/**
 * Rewrites the file: SQLite leaves deleted bytes in free pages and in its log.
 * @throws ServiceError `database_unavailable` if others use the file for the whole time
 */
export function overwrite(file: string, timeoutMs = 10_000): void {
  const database = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    database.exec('vacuum');
    // If a reader prevents it, the pragma returns `busy` instead of throwing.
    const result = database.prepare('pragma wal_checkpoint(truncate)').get();
    if (result?.['busy'] !== 0) throw new Error('A connection is reading the file.');
  } catch (cause) {
    throw new ServiceError(
      'database_unavailable',
      'The customer is erased, but the file could not be rewritten because it is in use: free pages may still contain the data. Run "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);" with the sqlite3 tool when the service is idle.',
      { cause },
    );
  } finally {
    database.close();
  }
}
