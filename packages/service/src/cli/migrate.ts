import { openDatabase } from '../store/open.js';
import { DATABASE_OPTION, parse, print, type Command } from './command.js';
import { requiredDatabase } from './database.js';

export const migrate: Command = {
  usage: 'migrate --database FILE | postgres://…',
  summary: 'Brings the database schema up to date.',
  options: { database: DATABASE_OPTION },
  run: async (args) => {
    const { values } = parse(args, { database: DATABASE_OPTION });
    const { connection, migrations } = await openDatabase(requiredDatabase(values));
    await connection.close();
    print(
      migrations === 0
        ? 'The schema is up to date.'
        : `Ran ${migrations} migration${migrations === 1 ? '' : 's'}.`,
    );
  },
};
