import { resumeJobs } from '../jobs/restore-marker.js';
import { DATABASE_OPTION, parse, print, withActions, type Command } from './command.js';
import { requiredDatabase, withStore } from './database.js';

const OPTIONS = { database: DATABASE_OPTION };

export const jobs: Command = {
  usage: 'jobs resume --database FILE | postgres://…',
  summary: 'Resumes jobs that are held because a backup was restored.',
  options: OPTIONS,
  run: withActions('jobs', {
    resume: async (args) => {
      const { values } = parse(args, OPTIONS);
      const wereHeld = await withStore(requiredDatabase(values), (store) => store.transaction(resumeJobs));
      print(wereHeld ? 'Jobs run again within a second.' : 'Jobs are not held.');
    },
  }),
};
