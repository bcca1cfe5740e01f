/** Checkpoints a `-wal` file on a separate thread, because that waits for the disk three times. */
import type { DatabaseSync } from 'node:sqlite';
import { Worker, type MessagePort } from 'node:worker_threads';

/** Bytes of the log that stay on the disk, because overwriting them is faster than appending. */
export const MAX_KEPT_LOG: number = 32 * 1024 * 1024;

type Step = 'copy' | 'restart';
interface Problem {
  readonly code: string;
  readonly message: string;
}

export class Checkpointer {
  readonly #file: string;
  readonly #exclusive: (work: () => Promise<void>) => Promise<void>;
  #worker: Worker | undefined;
  #running: Promise<void> | null = null;

  /** @param exclusive runs work while this process has no open transaction */
  constructor(file: string, exclusive: (work: () => Promise<void>) => Promise<void>) {
    this.#file = file;
    this.#exclusive = exclusive;
  }

  /** Runs a checkpoint or joins a running one. @throws if the disk fails */
  run(): Promise<void> {
    this.#running ??= this.#checkpoint().finally(() => (this.#running = null));
    return this.#running;
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#worker?.terminate();
  }

  async #checkpoint(): Promise<void> {
    await this.#step('copy');
    await this.#exclusive(() => this.#step('restart'));
  }

  async #step(step: Step): Promise<void> {
    const worker = (this.#worker ??= startWorker(this.#file));
    // A transaction may wait for this step while nothing else keeps the process alive.
    worker.ref();
    try {
      await stepIn(worker, step);
    } finally {
      worker.unref();
    }
  }
}

function stepIn(worker: Worker, step: Step): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', (problem: Problem | null) =>
      problem === null ? resolve() : reject(Object.assign(new Error(problem.message), problem)),
    );
    worker.once('error', reject);
    worker.once('exit', () => resolve());
    worker.postMessage(step);
  });
}

function startWorker(file: string): Worker {
  // Pass the function's source, so that the worker needs no file of its own.
  const code = `(${checkpointOnRequest.toString()})(require('node:worker_threads').parentPort, require('node:sqlite').DatabaseSync, ${JSON.stringify(file)}, ${MAX_KEPT_LOG})`;
  return new Worker(code, { eval: true });
}

/** Runs in the worker from its source text, so it must use only its parameters. */
function checkpointOnRequest(
  port: MessagePort,
  Database: typeof DatabaseSync,
  file: string,
  maxKeptLog: number,
): void {
  const SQLITE_BUSY = 5;
  const FEW_PAGES = 1_000;
  // A writer may be faster than the disk.
  const MAX_ROUNDS = 8;
  const database = new Database(file, { timeout: 1000 });
  database.exec('pragma synchronous = NORMAL');
  database.exec(`pragma journal_size_limit = ${maxKeptLog}`);
  const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
  const copied = () => Number(checkpoint.get()?.['checkpointed']);
  const steps: Record<Step, () => void> = {
    // Concurrent with writers: syncs the log, copies its pages, syncs the database. Repeats for what is written meanwhile.
    copy: () => {
      let before = 0;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const after = copied();
        if (after - before < FEW_PAGES) return;
        before = after;
      }
    },
    // Exclusive: copies the rest and restarts the log by writing its first frame, whose header SQLite syncs. That also
    // truncates the log. Unlike an update with the same values, this always writes a page.
    restart: () => {
      copied();
      database.exec('pragma user_version = 0');
    },
  };
  port.on('message', (step: Step) => {
    try {
      steps[step]();
      port.postMessage(null);
    } catch (error) {
      const { code, errcode = 0, message } = error as Problem & { errcode?: number };
      // Another process is using the file, so the log grows until the next checkpoint.
      port.postMessage((errcode & 0xff) === SQLITE_BUSY ? null : { code, message });
    }
  });
}
