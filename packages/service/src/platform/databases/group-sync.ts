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
