/** Many commits share one sync of the disk: each waits for the first sync that begins after it. */
export interface GroupSync {
  /** Tells that something was committed, or seen committed by another process, that no sync has covered yet. */
  committed(): void;
  /**
   * Resolves when everything told of before the call is on the disk: at once where it is already.
   * @throws what the sync failed with, from then on always: what a failed sync left unwritten cannot be known.
   */
  durable(): Promise<void>;
  /** From now on nothing is durable any more, for this reason. */
  fail(error: unknown): void;
}

/** @param sync brings all that is committed by the time of its call to the disk */
export function groupSync(sync: () => Promise<void>): GroupSync {
  let committed = 0;
  let synced = 0;
  let running: Promise<void> | null = null;
  let failed: { readonly error: unknown } | null = null;

  const fail = (error: unknown): void => {
    failed ??= { error };
  };

  const run = async (): Promise<void> => {
    const covered = committed;
    try {
      await sync();
      synced = covered;
    } catch (error) {
      fail(error);
    } finally {
      running = null;
    }
  };

  return {
    committed: () => {
      committed += 1;
    },
    durable: async () => {
      const mine = committed;
      while (synced < mine && failed === null) await (running ??= run());
      if (failed !== null) throw failed.error;
    },
    fail,
  };
}
