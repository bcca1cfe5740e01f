/**
 * When what was committed to a file is on its disk. SQLite commits without waiting for the disk (`synchronous =
 * NORMAL`): one asynchronous `fdatasync` of the `-wal` file covers every commit before it. SQLite's locks are on the
 * database and `-shm`, never on `-wal`, so a second descriptor of that file is harmless.
 */
import { statSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { checkpointer } from './checkpoint.js';
import { groupSync, type GroupSync } from './group-sync.js';
import { unavailable } from '../../core/error.js';

/** How much the `-wal` file may grow, in commits, before its pages are moved into the database. */
const COMMITS_A_CHECKPOINT = 1_000;

/** How often it is looked at whether the files are still where they were opened, ms. */
const LOOK_MS = 1_000;

export interface Durability extends Omit<GroupSync, 'fail'> {
  close(): Promise<void>;
}

/**
 * Rejects where a database is open that nobody finds again: what is committed to it is lost with the process.
 * @param file is open
 */
function stillWhere(file: string): (log: FileHandle) => Promise<void> {
  const { dev, ino } = statSync(file);
  let lookedAt = -Infinity;
  return async (log) => {
    if (performance.now() < lookedAt + LOOK_MS) return;
    lookedAt = performance.now();
    const [own, found] = await Promise.all([log.stat(), stat(file).catch(() => null)]);
    if (own.nlink > 0 && found?.dev === dev && found.ino === ino) return;
    throw new Error(
      `The database ${file}, or its -wal, was removed or replaced while it was open: stop the service, put the right files there, and start it.`,
    );
  };
}

/** @param inTurn runs work while no transaction of this process is open */
export function walDurability(
  file: string,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Durability {
  const checkpoints = checkpointer(file, inTurn);
  let handle: Promise<FileHandle> | undefined;
  let left = COMMITS_A_CHECKPOINT;
  const isWhere = stillWhere(file);
  const syncs = groupSync(async () => {
    const log = await (handle ??= open(`${file}-wal`));
    await Promise.all([log.datasync(), isWhere(log)]);
  });
  return {
    committed: () => {
      syncs.committed();
      left -= 1;
    },
    running: () => syncs.running(),
    durable: async () => {
      try {
        await syncs.durable();
      } catch (error) {
        throw unavailable(error);
      }
      if (left > 0) return;
      left = COMMITS_A_CHECKPOINT;
      checkpoints.run().catch((error: unknown) => syncs.fail(error));
    },
    close: async () => {
      await syncs.durable().catch(() => undefined);
      await checkpoints.close();
      await (await handle)?.close();
    },
  };
}
