/** Moves the pages of a `-wal` file into its database, on a thread of its own: it waits for the disk three times. */
import { createRequire } from 'node:module';
import { Worker, type MessagePort } from 'node:worker_threads';
import type Libsql from 'libsql';

export interface Checkpointer {
  /** One checkpoint; a call while one runs joins it. @throws where the disk refuses */
  run(): Promise<void>;
  close(): Promise<void>;
}

type Step = 'copy' | 'restart';

/** @param inTurn runs work while no transaction of this process is open */
export function checkpointer(
  file: string,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Checkpointer {
  let worker: Worker | undefined;
  let running: Promise<void> | null = null;

  const step = (name: Step): Promise<void> =>
    new Promise((resolve, reject) => {
      worker ??= startWorker(file);
      worker.removeAllListeners();
      worker.once('message', (problem: { code?: string; message: string } | null) =>
        problem === null ? resolve() : reject(Object.assign(new Error(problem.message), problem)),
      );
      worker.once('error', reject);
      worker.once('exit', () => resolve());
      worker.postMessage(name);
    });

  return {
    run: () =>
      (running ??= step('copy')
        .then(() => inTurn(() => step('restart')))
        .finally(() => (running = null))),
    close: async () => {
      await running?.catch(() => undefined);
      await worker?.terminate();
    },
  };
}

function startWorker(file: string): Worker {
  const libsql = createRequire(import.meta.url).resolve('libsql');
  // A function's own text: the same in the build as in the sources, and nothing to find beside either.
  const code = `(${work.toString()})(require('node:worker_threads').parentPort, require(${JSON.stringify(libsql)}), ${JSON.stringify(file)})`;
  const worker = new Worker(code, { eval: true });
  worker.unref();
  return worker;
}

/** Runs in the worker, so it can use nothing but what it is given. */
function work(port: MessagePort, Database: typeof Libsql, file: string): void {
  const database = new Database(file);
  database.pragma('synchronous = NORMAL');
  database.pragma('busy_timeout = 1000');
  const steps: Record<Step, () => void> = {
    // Beside the writers: syncs the log, copies its pages, syncs the database.
    copy: () => void database.prepare('pragma wal_checkpoint(passive)').all(),
    // While nobody writes: what is left, then the first frame of the log begun anew, whose header SQLite syncs.
    restart: () => {
      database.prepare('pragma wal_checkpoint(passive)').all();
      database.prepare('update meta set value = value where name = ?').run('environment');
    },
  };
  port.on('message', (name: Step) => {
    try {
      steps[name]();
      port.postMessage(null);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      // Another process is in the way: the log grows until the next time.
      port.postMessage(code === 'SQLITE_BUSY' ? null : { code, message });
    }
  });
}
