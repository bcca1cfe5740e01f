/**
 * Tracks when commits to a file are on the disk. SQLite commits without waiting for the disk (`synchronous =
 * NORMAL`); one asynchronous `fdatasync` of the `-wal` file covers every commit before it. SQLite's locks are on the
 * database and `-shm`, never on `-wal`, so opening and closing that file a second time releases none.
 */
import { fstatSync, statSync, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { unavailable } from '../../core/error.js';
import type { DatabaseSync } from 'node:sqlite';
import { Worker, type MessagePort } from 'node:worker_threads';

/** Checkpoint the `-wal` file when it has grown by this many bytes. It then shrinks to `MAX_KEPT_LOG` again. */
const GROWTH_PER_CHECKPOINT = 4 * 1024 * 1024;

const FILE_CHECK_INTERVAL_MS = 1_000;

export class WalDurability {
  readonly #file: string;
  readonly #original: { readonly dev: number; readonly ino: number };
  readonly #checkpointer: Checkpointer;
  readonly #syncs = new GroupSync(() => this.#sync());
  #handle: Promise<FileHandle> | undefined;
  readonly #onCheckpointFailed: (error: unknown) => void;
  #size = 0;
  #checkpointAbove = MAX_KEPT_LOG;
  #checkedAt = -Infinity;

  /** @param exclusive runs work while this process has no open transaction */
  constructor(
    file: string,
    exclusive: (work: () => Promise<void>) => Promise<void>,
    onCheckpointFailed: (error: unknown) => void = () => undefined,
  ) {
    this.#file = file;
    this.#onCheckpointFailed = onCheckpointFailed;
    this.#original = statSync(file);
    this.#checkpointer = new Checkpointer(file, exclusive);
  }

  committed(): void {
    this.#syncs.committed();
  }

  currentSync(): Promise<void> | null {
    return this.#syncs.running();
  }

  /** @throws ServiceError `unavailable` from the first failed sync on */
  async durable(): Promise<void> {
    try {
      await this.#syncs.durable();
    } catch (error) {
      throw unavailable(error);
    }

    if (this.#size > this.#checkpointAbove)
      this.#checkpoint().catch((error: unknown) => this.#syncs.fail(error));
  }

  async close(): Promise<void> {
    await this.#syncs.durable().catch(() => undefined);
    await this.#checkpointer.close();
    await (await this.#handle)?.close();
  }

  async #sync(): Promise<void> {
    const log = await this.#open();
    // Not asynchronously: another thread takes twenty times as long.
    const opened = fstatSync(log.fd);
    await log.datasync();
    this.#size = opened.size;
    await this.#checkFiles(opened);
  }

  #open(): Promise<FileHandle> {
    return (this.#handle ??= open(`${this.#file}-wal`));
  }

  async #checkpoint(): Promise<void> {
    this.#checkpointAbove = Infinity;
    await this.#checkpointer.run().catch((error: unknown) => {
      if (!(error instanceof CheckpointFailed)) throw error;
      this.#onCheckpointFailed(error);
    });
    // Another process's transaction may have kept the log from starting over.
    const log = await this.#open();
    this.#checkpointAbove = (await log.stat()).size + GROWTH_PER_CHECKPOINT;
  }

  /** Fails if the file was removed or replaced, because commits to it would be lost when the process ends. */
  async #checkFiles(opened: Stats): Promise<void> {
    if (performance.now() < this.#checkedAt + FILE_CHECK_INTERVAL_MS) return;

    this.#checkedAt = performance.now();

    const current = await stat(this.#file).catch(() => null);
    const { dev, ino } = this.#original;
    if (opened.nlink > 0 && current?.dev === dev && current.ino === ino) return;

    throw new Error(
      `The database ${this.#file}, or its -wal, was removed or replaced while it was open: stop the service, restore the files, and start it again.`,
    );
  }
}

/** Lets commits share disk syncs: each waits for the first sync that starts after it. */
export class GroupSync {
  readonly #sync: () => Promise<void>;
  #committed = 0;
  #synced = 0;
  #running: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  /** @param sync writes everything committed before its call to the disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  committed(): void {
    this.#committed += 1;
  }

  /** Resolves when every commit before the call is on the disk. @throws from the first failed sync on */
  async durable(): Promise<void> {
    const commit = this.#committed;
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      if (this.#synced >= commit) return;
      await (this.#running ??= this.#run());
    }
  }

  /** The sync in progress, which never rejects. */
  running(): Promise<void> | null {
    return this.#running;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  async #run(): Promise<void> {
    const covered = this.#committed;
    try {
      await this.#sync();
      this.#synced = covered;
    } catch (error) {
      this.fail(error);
    } finally {
      this.#running = null;
    }
  }
}

/** Bytes of the log that stay on the disk, because overwriting them is faster than appending. */
const MAX_KEPT_LOG = 32 * 1024 * 1024;

type Step = 'copy' | 'restart';
interface Problem {
  /** False if a later checkpoint may succeed. */
  readonly isFinal: boolean;
  readonly code: string;
  readonly message: string;
}

/**
 * The disk was full, or the process had no free thread or file descriptor. Nothing is lost: the log grows until the next
 * checkpoint.
 */
export class CheckpointFailed extends Error {}

/** Checkpoints a `-wal` file on a separate thread, because that waits for the disk three times. */
export class Checkpointer {
  readonly #file: string;
  readonly #exclusive: (work: () => Promise<void>) => Promise<void>;
  readonly #start: typeof startWorker;
  #worker: Worker | undefined;
  #running: Promise<void> | null = null;

  /** @param exclusive runs work while this process has no open transaction */
  constructor(
    file: string,
    exclusive: (work: () => Promise<void>) => Promise<void>,
    start: typeof startWorker = startWorker,
  ) {
    this.#file = file;
    this.#exclusive = exclusive;
    this.#start = start;
  }

  /** Runs a checkpoint or joins a running one. @throws CheckpointFailed, or another error if the disk or the file is at fault */
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

  #newWorker(): Worker {
    try {
      return this.#start(this.#file);
    } catch (error) {
      throw new CheckpointFailed((error as Error).message);
    }
  }

  async #step(step: Step): Promise<void> {
    const worker = (this.#worker ??= this.#newWorker());
    // A transaction may wait for this step while nothing else keeps the process alive.
    worker.ref();
    try {
      await stepIn(worker, step);
    } catch (error) {
      this.#worker = undefined;
      void worker.terminate();
      throw error;
    } finally {
      worker.unref();
    }
  }
}

function stepIn(worker: Worker, step: Step): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', (problem: Problem | null) => {
      if (problem === null) resolve();
      else if (problem.isFinal) reject(Object.assign(new Error(problem.message), { code: problem.code }));
      else reject(new CheckpointFailed(problem.message));
    });
    worker.once('error', (error: Error) => reject(new CheckpointFailed(error.message)));
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
  /** No memory, disk full, and a file that can't be opened because the process has no free descriptor. */
  const TEMPORARY = [7, 13, 14];
  const FEW_PAGES = 1_000;
  // A writer may be faster than the disk.
  const MAX_ROUNDS = 8;
  let opened: DatabaseSync | undefined;
  const open = (): DatabaseSync => {
    const database = new Database(file, { timeout: 1000 });
    database.exec('pragma synchronous = NORMAL');
    database.exec(`pragma journal_size_limit = ${maxKeptLog}`);
    return database;
  };
  const copied = (): number =>
    Number((opened ??= open()).prepare('pragma wal_checkpoint(passive)').get()?.['checkpointed']);
  const steps: Record<Step, () => void> = {
    // Concurrent with writers: syncs the log, copies its pages, syncs the database. Repeats, because writers continue.
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
      opened?.exec('pragma user_version = 0');
    },
  };
  port.on('message', (step: Step) => {
    try {
      steps[step]();
      port.postMessage(null);
    } catch (error) {
      const { code, errcode = 0, message } = error as Problem & { errcode?: number };
      const reason = errcode & 0xff;
      // Another process is using the file, so the log grows until the next checkpoint.
      port.postMessage(
        reason === SQLITE_BUSY ? null : { code, message, isFinal: !TEMPORARY.includes(reason) },
      );
    }
  });
}
