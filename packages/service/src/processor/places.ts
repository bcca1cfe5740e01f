/** Requests that may wait for the same operation. */
const MAX_PER_OPERATION = 4;

/**
 * A limited number of places, without a queue, such as for requests that wait for the processor. Business
 * units share them.
 */
export class Places {
  readonly #size: () => number;
  /** Number of places in use by group and by id. */
  readonly #ofGroup = new Map<string, number>();
  readonly #ofId = new Map<string, number>();
  #total = 0;

  /** @param size the number of places, which may change with the config */
  constructor(size: () => number) {
    this.#size = size;
  }

  /**
   * Runs `work`, or resolves to null if no place is free.
   * @param group a business unit. It may use at most half of the places that the others leave free, so that several
   * slow units still leave room.
   * @param id of an operation that several requests may wait for
   */
  async run<T>(group: string, work: () => Promise<T>, id?: string): Promise<T | null> {
    const free = this.#size() - this.#total;
    if ((this.#ofGroup.get(group) ?? 0) >= free) return null;
    if (id !== undefined && (this.#ofId.get(id) ?? 0) >= MAX_PER_OPERATION) return null;

    this.#count(1, group, id);
    try {
      return await work();
    } finally {
      this.#count(-1, group, id);
    }
  }

  #count(change: 1 | -1, group: string, id: string | undefined): void {
    this.#total += change;
    add(this.#ofGroup, group, change);
    if (id !== undefined) add(this.#ofId, id, change);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
