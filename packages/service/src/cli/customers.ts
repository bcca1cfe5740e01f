/** `customers erase`: removes personal data. */
import { DatabaseSync } from 'node:sqlite';
import { eraseCustomer } from '../accounts/erase.js';
import { ServiceError } from '../core/error.js';
import { isPostgres } from '../platform/databases/connect.js';
import { refuseUnknownUnit } from '../webhooks/served-units.js';
import {
  BUSINESS_UNIT_OPTION,
  businessUnit,
  DATABASE_OPTION,
  print,
  required,
  type Command,
  type ValuesOf,
  readSecret,
} from './command.js';
import { printable } from './csv.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS = {
  'business-unit': BUSINESS_UNIT_OPTION,
  email: { type: 'string', help: "The customer's current e-mail address; default: read from stdin" },
  'dry-run': { type: 'boolean', help: 'Print what would be erased, without changing anything' },
  database: DATABASE_OPTION,
} as const;

export const customers: Command = {
  usage: `customers erase --business-unit SLUG [--email EMAIL] [--dry-run]
  --database FILE | postgres://…
                 without --email, reads the address from stdin`,
  summary: 'Erases the personal data of a customer. Payments stay.',
  actions: { erase: { options: OPTIONS, run: erase } },
};

async function erase(values: ValuesOf<typeof OPTIONS>): Promise<void> {
  const unit = businessUnit(values['business-unit']);
  const isDryRun = values['dry-run'] === true;
  const database = requiredDatabase(values);
  const email = required(
    values.email ?? (await readSecret("Customer's e-mail address: ")),
    '--email, or the address on stdin,',
  );

  const shared: string[] = [];
  let isAddressReused = false;
  const erased = await withStore(database, async (store) => {
    await store.read((tx) => refuseUnknownUnit(tx, unit));
    return eraseCustomer(store, {
      businessUnit: unit,
      emailAddress: email,
      now: Date.now(),
      isDryRun,
      onProgress: progress(),
      onShared: (accountNumbers) => shared.push(...accountNumbers),
      onAddressReused: () => (isAddressReused = true),
    });
  });
  for (const [table, count] of Object.entries(erased)) print(`${table}: ${count}`);
  if (shared.length > 0)
    print(
      `Kept, because other customers use these accounts: name, phone number and address of ${printable(shared.join(', '))}`,
    );
  if (erased['customers'] === undefined)
    print('No customer has this e-mail address: these are receipts that others had sent to it.');
  if (isDryRun) return print('Nothing was changed.');
  if (isAddressReused)
    print(
      'A customer was given this e-mail address meanwhile and was not erased. If it is the same person, run the command again.',
    );
  if (!isPostgres(database)) {
    process.stderr.write('Rewriting the file. The service writes again when this is done.\n');
    overwrite(database);
  }
  print(
    'Erased. The processor forgets the payment methods while the service runs. Backups keep the data until they expire.',
  );
  if (isPostgres(database))
    print(
      "PostgreSQL's files and statistics still contain the data: as the database's owner, run ANALYZE and then VACUUM FULL, which locks tables.",
    );
}

const PROGRESS_INTERVAL_MS = 5_000;

function progress(): (table: string, rows: number) => void {
  const counts: Record<string, number> = {};
  let reportedAt = performance.now();
  return (table, rows) => {
    counts[table] = (counts[table] ?? 0) + rows;
    if (performance.now() < reportedAt + PROGRESS_INTERVAL_MS) return;
    reportedAt = performance.now();
    process.stderr.write(`Searching ${table}: ${counts[table]} rows …\n`);
  };
}

/** SQLite leaves deleted bytes in free pages and in its log. @throws ServiceError `database_unavailable` */
export function overwrite(file: string, timeoutMs = 10_000): void {
  const database = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    database.exec('vacuum');
    // If a reader prevents it, the pragma returns `busy` instead of throwing.
    const result = database.prepare('pragma wal_checkpoint(truncate)').get();
    if (result?.['busy'] !== 0) throw new Error('a connection is reading it');
  } catch (cause) {
    throw new ServiceError(
      'database_unavailable',
      `The customer is erased, but the file could not be rewritten (${(cause as Error).message}): free pages may still contain the data. Run "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);" with the sqlite3 tool when the service is idle and the disk has room for a second copy.`,
      { cause },
    );
  } finally {
    database.close();
  }
}
