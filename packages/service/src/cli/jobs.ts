import { resumeJobs } from '../jobs/restore-marker.js';
import { DATABASE_OPTION, noSuchAction, parse, print, type Command } from './command.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS = { database: DATABASE_OPTION };

export const jobs: Command = {
  usage: 'jobs resume --database FILE | postgres://…',
  summary: 'Lets jobs run again that are held because a backup was restored.',
  options: OPTIONS,
  run: async ([action = '', ...args]) => {
    if (action !== 'resume') throw noSuchAction('jobs', action);
    const { values } = parse(args, OPTIONS);
    const wereHeld = await withStore(requiredDatabase(values), (store) => store.transaction(resumeJobs));
    print(wereHeld ? 'Jobs run again within a second.' : 'Jobs are not held.');
  },
};
