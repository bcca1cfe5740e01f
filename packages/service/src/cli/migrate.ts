import { openDatabase } from '../store/open.js';
import { parse, print, type Command } from './command.js';
import { requiredDatabase } from './database.js';

export const migrate: Command = {
  usage: 'migrate --database FILE | postgres://…',
  run: async (args) => {
    const { values } = parse(args, { database: { type: 'string' } });
    const { connection, migrations } = await openDatabase(requiredDatabase(values));
    await connection.close();
    print(
      migrations === 0
        ? 'The schema is up to date.'
        : `Ran ${migrations} migration${migrations === 1 ? '' : 's'}.`,
    );
  },
};
