import { connect } from '../platform/databases/connect.js';
import type { Connection } from '../platform/databases/connection.js';
import { cannotOpen, openDatabase } from '../store/open.js';
import { planMigration } from '../store/plan.js';
import { DATABASE_OPTION, print, type Command, type ValuesOf } from './command.js';
import { refuseMissingFile, requiredDatabase } from './database.js';

const OPTIONS = {
  plan: { type: 'boolean', help: 'Only print what would run and what it locks' },
  database: DATABASE_OPTION,
} as const;

export const migrate: Command = {
  usage: 'migrate [--plan] --database FILE | postgres://…',
  summary: 'Brings the database schema up to date.',
  options: OPTIONS,
  run: async (values: ValuesOf<typeof OPTIONS>) => {
    const database = requiredDatabase(values);
    if (values.plan === true) return printPlan(database);

    const { connection, migrations } = await openDatabase(database);
    await connection.close();
    print(
      migrations === 0
        ? 'The schema is up to date.'
        : `Ran ${migrations} migration${migrations === 1 ? '' : 's'}.`,
    );
  },
};

async function printPlan(database: string): Promise<void> {
  refuseMissingFile(database);
  let connection: Connection | undefined;
  try {
    connection = await connect(database);
    const planned = await planMigration(connection);
    if (planned.length === 0) print('The schema is up to date.');
    for (const { migration, text, locks } of planned) print(`${migration}  ${text}\n    locks ${locks}`);
  } catch (cause) {
    throw cannotOpen(database, cause);
  } finally {
    await connection?.close();
  }
}
