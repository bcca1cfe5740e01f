import { resumeJobs } from '../jobs/restore-marker.js';
import { DATABASE_OPTION, print, type Command } from './command.js';
import { requiredDatabase, withStore, type DatabaseValues } from './database.js';

export const jobs: Command = {
  usage: 'jobs resume --database FILE | postgres://…',
  summary: 'Resumes jobs that are held because a backup was restored.',
  actions: { resume: { options: { database: DATABASE_OPTION }, run: resume } },
};

async function resume(values: DatabaseValues): Promise<void> {
  const wereHeld = await withStore(requiredDatabase(values), (store) => store.transaction(resumeJobs));
  print(wereHeld ? 'Jobs run again within a second.' : 'Jobs are not held.');
}
