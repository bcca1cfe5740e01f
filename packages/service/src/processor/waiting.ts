import type { ServiceConfig } from '../platform/config/config.js';

/** Requests that may wait for the same operation. */
const MAX_PER_OPERATION = 4;

/**
 * Limits how many requests wait for the processor, of all endpoints together. Each holds a connection, and half
 * of `maxConnections` stay free for other requests.
 */
export class WaitingRequests {
  readonly #config: Pick<ServiceConfig, 'maxConnections'>;
  /** Number of waiting requests by group and by id. */
  readonly #ofGroup = new Map<string, number>();
  readonly #ofId = new Map<string, number>();
  #total = 0;

  constructor(config: Pick<ServiceConfig, 'maxConnections'>) {
    this.#config = config;
  }

  /**
   * Runs `work`, or resolves to null if too many requests wait.
   * @param group a business unit. It may use at most half of the places that the others leave free, so that several
   * slow units still leave room.
   * @param id of an operation that several requests may wait for
   */
  async run<T>(group: string, work: () => Promise<T>, id?: string): Promise<T | null> {
    const free = Math.floor(this.#config.maxConnections / 2) - this.#total;
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

/** Adds to a counter, which is removed at zero. */
export function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
