/**
 * Tracks when commits to a file are on the disk. SQLite commits without waiting for the disk (`synchronous =
 * NORMAL`); one asynchronous `fdatasync` of the `-wal` file covers every commit before it. SQLite's locks are on the
 * database and `-shm`, never on `-wal`, so opening and closing that file a second time releases none.
 */
import { statSync, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { unavailable } from '../../core/error.js';
import { Checkpointer, MAX_KEPT_LOG } from './checkpointer.js';

/** Checkpoint the `-wal` file when it has grown by this many bytes. It then shrinks to `MAX_KEPT_LOG` again. */
const GROWTH_PER_CHECKPOINT = 4 * 1024 * 1024;

const FILE_CHECK_INTERVAL_MS = 1_000;

export class WalDurability {
  readonly #file: string;
  readonly #original: { readonly dev: number; readonly ino: number };
  readonly #checkpointer: Checkpointer;
  readonly #syncs = new GroupSync(() => this.#sync());
  #handle: Promise<FileHandle> | undefined;
  #size = 0;
  #checkpointAbove = MAX_KEPT_LOG;
  #checkedAt = -Infinity;

  /** @param exclusive runs work while this process has no open transaction */
  constructor(file: string, exclusive: (work: () => Promise<void>) => Promise<void>) {
    this.#file = file;
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
    const [opened] = await Promise.all([log.stat(), log.datasync()]);
    this.#size = opened.size;
    await this.#checkFiles(opened);
  }

  #open(): Promise<FileHandle> {
    return (this.#handle ??= open(`${this.#file}-wal`));
  }

  async #checkpoint(): Promise<void> {
    this.#checkpointAbove = Infinity;
    await this.#checkpointer.run();
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

  /** Records a commit, of this or another process, that must be synced. */
  committed(): void {
    this.#committed += 1;
  }

  /**
   * Resolves when every commit recorded before the call is on the disk.
   * @throws the error of the first failed sync, from then on, because it is unknown what has been written.
   */
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

  /** Makes `durable` fail from now on. */
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
