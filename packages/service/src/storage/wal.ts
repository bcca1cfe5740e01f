/**
 * When what was committed to a file is on its disk. SQLite commits without waiting for the disk (`synchronous =
 * NORMAL`): one asynchronous `fdatasync` of the `-wal` file covers every commit before it. SQLite's locks are on the
 * database and `-shm`, never on `-wal`, so a second descriptor of that file is harmless.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { checkpointer } from './checkpoint.js';
import { groupSync, type GroupSync } from './group-sync.js';
import { unavailable } from '../domain/error.js';

/** How much the `-wal` file may grow, in commits, before its pages are moved into the database. */
const COMMITS_A_CHECKPOINT = 1_000;

export interface Durability extends Omit<GroupSync, 'fail'> {
  close(): Promise<void>;
}

/** @param inTurn runs work while no transaction of this process is open */
export function walDurability(
  file: string,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Durability {
  const checkpoints = checkpointer(file, inTurn);
  let handle: Promise<FileHandle> | undefined;
  let left = COMMITS_A_CHECKPOINT;
  const syncs = groupSync(async () => (await (handle ??= open(`${file}-wal`))).datasync());
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
