/** Many commits share one sync of the disk: each waits for the first sync that begins after it. */
export interface GroupSync {
  /** Tells that something was committed, or seen committed by another process, that no sync has covered yet. */
  committed(): void;
  /**
   * Resolves when everything told of before the call is on the disk: at once where it is already.
   * @throws what the sync failed with, from then on always: what a failed sync left unwritten cannot be known.
   */
  durable(): Promise<void>;
  /** The sync that runs, which never rejects. */
  running(): Promise<void> | null;
  /** From now on nothing is durable any more, for this reason. */
  fail(error: unknown): void;
}

/** @param sync brings all that is committed by the time of its call to the disk */
export function groupSync(sync: () => Promise<void>): GroupSync {
  const count = { committed: 0, synced: 0 };
  let running: Promise<void> | null = null;
  let failed: { readonly error: unknown } | null = null;

  const run = async (): Promise<void> => {
    const covered = count.committed;
    try {
      await sync();
      count.synced = covered;
    } catch (error) {
      failed ??= { error };
    } finally {
      running = null;
    }
  };

  const covers = async (commit: number): Promise<void> => {
    for (;;) {
      if (failed !== null) throw failed.error;
      if (count.synced >= commit) return;
      await (running ??= run());
    }
  };

  return {
    committed: () => {
      count.committed += 1;
    },
    durable: () => covers(count.committed),
    running: () => running,
    fail: (error) => {
      failed ??= { error };
    },
  };
}
