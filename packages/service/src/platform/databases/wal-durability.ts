/**
 * Tracks when commits to a file are on the disk. SQLite commits without waiting for the disk (`synchronous =
 * NORMAL`); one asynchronous `fdatasync` of the `-wal` file covers every commit before it. SQLite's locks are on the
 * database and `-shm`, never on `-wal`, so opening and closing that file a second time releases none.
 */
import { once } from 'node:events';
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
  #checkpointing: Promise<void> | undefined;
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
      this.#checkpointing = this.#checkpoint().catch(this.#onCheckpointFailed);
  }

  async close(): Promise<void> {
    await this.#syncs.durable().catch(() => undefined);
    await this.#checkpointing;
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
    try {
      await this.#checkpointer.run();
    } finally {
      // Another process's transaction may have kept the log from starting over.
      const log = await this.#open();
      this.#checkpointAbove = fstatSync(log.fd).size + GROWTH_PER_CHECKPOINT;
    }
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

  async #run(): Promise<void> {
    const covered = this.#committed;
    try {
      await this.#sync();
      this.#synced = covered;
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#running = null;
    }
  }
}

/** Bytes of the log that stay on the disk, because overwriting them is faster than appending. */
const MAX_KEPT_LOG = 32 * 1024 * 1024;

/**
 * Checkpoints a `-wal` file on a separate thread, because that waits for the disk three times. If it fails, nothing is
 * lost: the log grows until the next checkpoint.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #exclusive: (work: () => Promise<void>) => Promise<void>;
  #worker: Worker | undefined;

  /** @param exclusive runs work while this process has no open transaction */
  constructor(file: string, exclusive: (work: () => Promise<void>) => Promise<void>) {
    this.#file = file;
    this.#exclusive = exclusive;
  }

  async run(): Promise<void> {
    try {
      await this.#step('copy');
      // Copies what was written meanwhile, so that little is left for the last step.
      await this.#step('copy');
      await this.#exclusive(() => this.#step('restart'));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #step(step: Step): Promise<void> {
    this.#worker ??= startWorker(this.#file);
    this.#worker.postMessage(step);
    await once(this.#worker, 'message');
  }
}

type Step = 'copy' | 'restart';

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
  const database = new Database(file, { timeout: 1000 });
  database.exec('pragma synchronous = NORMAL');
  database.exec(`pragma journal_size_limit = ${maxKeptLog}`);
  port.on('message', (step: Step) => {
    // Concurrent with writers: syncs the log, copies its pages, syncs the database.
    database.exec('pragma wal_checkpoint(passive)');
    // Exclusive: restarts the log by writing its first frame, whose header SQLite syncs. That also truncates the log.
    // Unlike an update with the same values, this always writes a page.
    if (step === 'restart') database.exec('pragma user_version = 0');
    port.postMessage('done');
  });
}
